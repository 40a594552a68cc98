// Spellings of one submission that mean the same, for replays. `payloadMatches` of the answer is true for each of them.

/** Instants that a good submission names, each in two spellings. */
export const spelledTimes = [
  ['2026-01-05T10:00:00Z', '2026-01-05T12:00:00+02:00'],
  ['2026-01-05T15:30:00+05:30', '2026-01-05T10:00:00Z'],
  ['2026-01-05T10:00:00.120Z', '2026-01-05T10:00:00.12z'],
  ['2026-01-05T10:00:00', '2026-01-05T10:00:00Z'],
]

function reversed(value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  const entries = Object.entries(value).map(([key, inside]) => [key, reversed(inside)])
  return Object.fromEntries(entries.reverse())
}

const withPerson = (given, change) => ({ ...given, person: { ...given.person, ...change } })

/** Spellings that both versions take for the same payload. */
export const oldSpellings = [
  reversed,
  (given) => withPerson(given, { ssn: given.person.ssn.replaceAll('-', '') }),
  (given) => withPerson(given, { middleName: null }),
]

/** Spellings that only this version takes for the same payload. */
export const newSpellings = [
  (given) => ({ ...given, decisionedAt: new Map(spelledTimes).get(given.decisionedAt) }),
  (given) => withPerson(given, { middleName: '' }),
]
