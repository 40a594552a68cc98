const texts = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\udfff\ud800',
  'ſ',
  'İ',
  'é',
  'e\u0301',
  '‮',
  '\u2028',
  '👩‍👩‍👧',
  '1e999',
  '-0',
  '__proto__',
  'constructor',
  'toString',
  '078-05-1120',
  '０７８',
  '2024-02-30',
  '2024-02-29T24:00:00Z',
  'US',
  'us',
  'PASSED',
  'null',
  '\uFEFF',
  'a'.repeat(9_000),
]
const numbers = [0, -0, -1, 1e308, Number.MAX_SAFE_INTEGER + 2, 0.1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]

/** Any value that JSON can hold and some that it cannot. Texts hold the marker now and then. */
export function anyValue(random, marker, depth = 0) {
  const kind = random.weighted({ text: 6, number: 2, literal: 2, array: depth > 4 ? 0 : 2, object: depth > 4 ? 0 : 2 })
  if (kind === 'text') return anyText(random, marker)
  if (kind === 'number') return random.pick(numbers)
  if (kind === 'literal') return random.pick([true, false, null, undefined])
  const some = Array.from({ length: random.whole(4) }, () => anyValue(random, marker, depth + 1))
  if (kind === 'array') return some
  return Object.fromEntries(some.map((value) => [anyText(random, marker), value]))
}

export function anyText(random, marker) {
  const parts = Array.from({ length: 1 + random.whole(3) }, () =>
    random.chance(0.4) ? String.fromCharCode(random.whole(0x10000)) : random.pick(texts),
  )
  return random.chance(0.3) ? [...parts, marker].join('') : parts.join('')
}

/** A copy of a value with something changed somewhere in it. */
export function changed(random, value, marker) {
  if (value === null || typeof value !== 'object' || random.chance(0.15)) return anyValue(random, marker)
  const copy = Array.isArray(value) ? [...value] : { ...value }
  const keys = Object.keys(copy)
  if (keys.length === 0 || random.chance(0.1)) {
    Object.defineProperty(copy, anyText(random, marker), { value: anyValue(random, marker), enumerable: true })
    return copy
  }
  const key = random.pick(keys)
  if (random.chance(0.1)) delete copy[key]
  else copy[key] = changed(random, copy[key], marker)
  return copy
}
