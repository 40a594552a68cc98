// Two servers never give the same ids, instants and secrets. What differs from run to run is replaced by a name, so that
// everything else must be equal.

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const instantPattern = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g
const recentMs = 2 * 24 * 60 * 60 * 1000

/** Values that have the same name and no meaning on both sides: opaque, or measured. */
const opaque = new Set([
  'nextCursor',
  'endCursor',
  'cursor',
  'requestId',
  'x-request-id',
  'timings',
  'address',
  'date',
  'content-length',
  'ratelimit',
  'webhook-timestamp',
  'webhook-signature',
])

/**
 * A normaliser for one lane of one server. Ids that the commands gave stay as they are. An id that the server made is named
 * after the place where it first appeared: command and member. So an answer that names the wrong one differs, and one that
 * has an id too many changes no other name.
 */
export function createNormaliser({ isGiven, origins }) {
  const names = new Map()
  const nowMs = Date.now()
  function text(value, place) {
    let result = value
    for (const [name, origin] of Object.entries(origins)) {
      result = result.replaceAll(origin, `<${name}>`).replaceAll(origin.replace(/^https?:\/\//, ''), `<${name}>`)
    }
    return result
      .replaceAll(uuidPattern, (id) => {
        if (isGiven(id) || id === '00000000-0000-0000-0000-000000000000') return id
        if (place === null) return '<id>'
        if (!names.has(id)) names.set(id, `<id of ${place}>`)
        return names.get(id)
      })
      .replaceAll(instantPattern, (instant) =>
        Math.abs(Date.parse(instant) - nowMs) < recentMs ? '<instant>' : instant,
      )
      .replaceAll(/kyc_(?:key|at)_[A-Za-z0-9_-]{16,}/g, '<secret>')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '<hex>')
      .replaceAll(/v1,[A-Za-z0-9+/]{43}=/g, '<standard signature>')
      .replaceAll(/(?<=webhook-timestamp: )\d+/g, '<seconds>')
  }
  function value(given, place, name = '') {
    if (opaque.has(name) && given !== null) return `<${name}>`
    if (typeof given === 'string') return text(given, place)
    const inside = (key) => (place === null ? null : `${place}/${key}`)
    if (Array.isArray(given)) return given.map((one, n) => value(one, inside(n)))
    if (typeof given !== 'object' || given === null) return given
    const keys = Object.keys(given).sort()
    return Object.fromEntries(keys.map((key) => [key, value(given[key], inside(key), key)]))
  }
  return {
    /** Names ids after `place`, such as the number of the command. */
    named: (given, place) => value(given, String(place)),
    /** Leaves ids without a name of their own: for what has no order. */
    unnamed: (given) => value(given, null),
  }
}

/** Where two normalised values differ: `{ at, before, now }`, `at` a JSON Pointer. */
export function differences(before, now, at = '') {
  if (Object.is(before, now)) return []
  const bothObjects = [before, now].every((one) => typeof one === 'object' && one !== null)
  if (!bothObjects || Array.isArray(before) !== Array.isArray(now)) return [{ at, before, now }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.flatMap((name) => differences(before[name], now[name], `${at}/${name}`))
}
