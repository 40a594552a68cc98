import { isDeepStrictEqual } from 'node:util'
import { parseJsonObject } from '../../apps/reference-server/test/http/json-text.ts'

const limits = { maxDepth: 4, maxValues: 14, maxStringLength: 6 }

const keys = ['a', 'b', 'é', 'e\u0301', '__proto__', 'constructor', 'prototype', 'proto', '']
const scalars = ['0', '-0', '1.5e3', '-12', '1e999', 'true', 'false', 'null', '9007199254740993']
const strings = [
  '"x"',
  '"\\u0061"',
  '"\\\\"',
  '"\\""',
  '"{["',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"sixsix"',
  '"sevense"',
]
const broken = [
  '01',
  '.5',
  '+1',
  'tru',
  'NaN',
  '"\\x"',
  '"\t"',
  '"',
  '//',
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '\\',
  '\ufeff',
]

/** A key as JSON text, each character as it is or escaped. */
function keyText(random) {
  const escaped = [...random.pick(keys)].flatMap((character) => {
    if (random.chance(0.7)) return [character]
    return [...character].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  })
  return `"${escaped.join('')}"`
}

function valueText(random, depth = 0) {
  const space = () => random.pick(['', '', '', ' ', '\n', '\t\r'])
  const isLeaf = depth > 5 || random.chance(depth === 0 ? 0.05 : 0.45)
  if (isLeaf) return random.pick(random.chance(0.5) ? scalars : strings)
  const parts = Array.from({ length: random.whole(4) }, () => `${space()}${valueText(random, depth + 1)}${space()}`)
  if (depth > 0 && random.chance(0.4)) return `[${parts.join(',')}]`
  return `{${parts.map((value) => `${space()}${keyText(random)}${space()}:${value}`).join(',')}}`
}

/** Puts a piece into a text, takes one away, or exchanges one. */
function damaged(random, text) {
  const at = random.whole(text.length + 1)
  const piece = random.chance(0.7) ? random.pick(broken) : ''
  return text.slice(0, at) + piece + text.slice(at + random.whole(3))
}

const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ -!#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])|(true|false|null)(?!\w))/y

/**
 * The rules once more, by the grammar of RFC 8259: `{ value }`, `{ problem }` of a valid text, the first in reading order, or
 * `{ problem: 'INVALID_JSON' }`.
 */
export function readStrictly(text, { maxDepth, maxValues, maxStringLength }) {
  let at = 0
  let count = 0
  let problem = null
  const note = (detail) => (problem ??= detail)
  const next = () => {
    token.lastIndex = at
    const found = token.exec(text)
    if (found === null) throw new SyntaxError('no token')
    at = token.lastIndex
    return found
  }
  const tooMany = () => {
    if (count > maxValues) note('TOO_MANY_VALUES')
  }
  function stringOf(raw) {
    const value = raw
      .slice(1, -1)
      .replace(/\\(?:u(.{4})|(.))/g, (_, code, letter) =>
        code === undefined
          ? ({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[letter] ?? letter)
          : String.fromCharCode(Number.parseInt(code, 16)),
      )
    if (value.length > maxStringLength) note('STRING_TOO_LONG')
    if (/\p{Surrogate}/u.test(value)) note('ILL_FORMED_UNICODE')
    return value
  }
  function members(depth) {
    const object = {}
    let found = next()
    if (found[1] === '}') return object
    for (;;) {
      if (found[2] === undefined) throw new SyntaxError('no key')
      const key = stringOf(found[2])
      if (Object.hasOwn(object, key)) note('DUPLICATE_KEY')
      if (['__proto__', 'constructor', 'prototype'].includes(key)) note('FORBIDDEN_KEY')
      if (next()[1] !== ':') throw new SyntaxError('no colon')
      Object.defineProperty(object, key, {
        value: valueOf(next(), depth),
        enumerable: true,
        configurable: true,
        writable: true,
      })
      const after = next()[1]
      if (after === '}') return object
      if (after !== ',') throw new SyntaxError('no comma')
      found = next()
    }
  }
  function elements(depth) {
    const list = []
    let found = next()
    if (found[1] === ']') return list
    for (;;) {
      list.push(valueOf(found, depth))
      const after = next()[1]
      if (after === ']') return list
      if (after !== ',') throw new SyntaxError('no comma')
      found = next()
    }
  }
  function valueOf([, mark, string, number, literal], depth) {
    count += 1
    if (mark === '{' || mark === '[') {
      if (depth + 1 > maxDepth) note('TOO_DEEP')
      tooMany()
      return mark === '{' ? members(depth + 1) : elements(depth + 1)
    }
    if (mark !== undefined) throw new SyntaxError('no value')
    const value =
      string !== undefined
        ? stringOf(string)
        : number !== undefined
          ? Number(number)
          : { true: true, false: false, null: null }[literal]
    tooMany()
    return value
  }
  try {
    const value = valueOf(next(), 0)
    if (/[^ \t\n\r]/.test(text.slice(at))) throw new SyntaxError('more than one value')
    if (problem !== null) return { problem }
    if (Array.isArray(value)) return { problem: 'BATCHING_NOT_SUPPORTED' }
    if (typeof value !== 'object' || value === null) return { problem: 'OBJECT_EXPECTED' }
    return { value }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { problem: 'INVALID_JSON' }
  }
}

/** The body of a request: what is accepted has the value that is written there, and each refusal has its reason. */
export function jsonBody(random, marker, { parse = parseJsonObject } = {}) {
  let text = valueText(random)
  for (let n = random.chance(0.4) ? 1 + random.whole(2) : 0; n > 0; n -= 1) text = damaged(random, text)
  if (random.chance(0.1)) text = text.replace('"x"', `"${marker}"`)
  const bytes = Buffer.from(text)
  const seen = bytes.toString()
  const result = parse(bytes, limits)
  const expected = readStrictly(seen, limits)
  if (result.ok)
    return isDeepStrictEqual(result.value, expected.value) ? null : `a body that is ${expected.problem} was accepted`
  if (JSON.stringify(result).includes(marker)) return 'a refusal repeats the body'
  // Of a text that is not JSON, the scanner may name a problem that it met before the mistake.
  if (expected.problem === 'INVALID_JSON' || bytes.length === 0 || seen.startsWith('\ufeff')) return null
  const { detail } = result.refusal
  if (expected.problem === undefined) return `a good body was refused as ${detail}`
  return detail === expected.problem ? null : `a body that is ${expected.problem} was refused as ${detail}`
}

/** Known bugs. */
export const jsonBugs = {
  'last-duplicate-wins': [
    'jsonBody',
    {
      parse: (bytes, most) => {
        const result = parseJsonObject(bytes, most)
        if (result.refusal?.detail !== 'DUPLICATE_KEY') return result
        try {
          return { ok: true, value: JSON.parse(bytes) }
        } catch {
          return result
        }
      },
    },
  ],
}
