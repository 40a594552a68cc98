// Every difference between the two that is meant, with its reason. A difference that no row here knows fails the run; a row
// that nothing matched is told, so that the list does not outlive its reasons.
//
// `matches` gets `{ kind, at, before, now }`: the kind of the command, a JSON Pointer into what was observed, and both values.

export const intendedDifferences = []
