import { allEventTypes, type EventName } from '../../events/event-types.js'
import { didYouMean } from '../closest.js'
import { UsageError } from '../command.js'

/** Splits `VERB ARGUMENT…` and checks the verb and the number of arguments. */
export function parseVerb<Verb extends string>(
  positionals: readonly string[],
  verbs: Readonly<Record<Verb, number>>,
): { readonly verb: Verb; readonly first: string; readonly given: readonly string[] } {
  const [verb, ...given] = positionals
  const names = Object.keys(verbs) as Verb[]
  const known = names.find((name) => name === verb)
  if (known === undefined) {
    const advice = verb === undefined ? '' : didYouMean(verb, names)
    throw new UsageError(`Give one of ${names.join(', ')}.${advice}`)
  }
  const most = verbs[known]
  if (given.length > most || (most > 0 && given.length === 0)) {
    throw new UsageError(`${known} takes ${most === 0 ? 'no argument' : most === 1 ? 'one argument' : 'arguments'}.`)
  }
  return { verb: known, first: given[0] ?? '', given }
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Checks an id before it becomes a part of a path. */
export function parseId(text: string, what: string): string {
  if (!uuid.test(text)) throw new UsageError(`The id of ${what} is a UUID.`)
  return text.toLowerCase()
}

/** Checks the types of `--event`; undefined without any. A service may have types of its own: it refuses unknown ones. */
export function parseEventTypes(given: readonly string[] | undefined): readonly EventName[] | undefined {
  for (const text of given ?? []) {
    const isKnown = (allEventTypes as readonly string[]).includes(text)
    const advice = isKnown ? '' : didYouMean(text, allEventTypes)
    if (text === '' || advice !== '') throw new UsageError(`--event takes an event type.${advice}`)
  }
  return given
}

/**
 * Reads a time: RFC 3339, or a duration before now such as `90m`, `6h` or `2d`. The service reads the former: `Date` takes
 * 30 February for 2 March, and a time without offset for a local one.
 */
export function parseTime(option: string, text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit ?? '']
  if (seconds !== undefined) return new Date(now.getTime() - Number(count) * seconds * 1000).toISOString()
  if (/^\d{4}-\d\d-\d\dT\d/.test(text)) return text
  throw new UsageError(`${option} takes a time such as 2026-01-31T12:00:00Z, or 90m, 6h, 2d for a time before now.`)
}
