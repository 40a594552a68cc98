import { withDigitsForWords } from './digit-words.js'
import type { JsonObject, JsonValue } from './json-value.js'
import { SHORTEST_SEARCHED } from './searched-values.js'
import { foldText, holdsSpelled } from './spelled-text.js'

/** Longest text that can be a part of an SSN: longer ones are searched by themselves. */
const LONGEST_PART = 16
const HAS_LETTER = /\p{L}/u
/** Stands for a value that is no part of an SSN. */
const OTHER = 'x'

function partOf(value: JsonValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') {
    const folded = value.length <= LONGEST_PART ? foldText(value) : OTHER
    if (!HAS_LETTER.test(folded)) return folded
    const spoken = withDigitsForWords(folded)
    return HAS_LETTER.test(spoken) ? OTHER : spoken
  }
  // A gap: null or a boolean.
  if (typeof value !== 'object' || value === null) return ''
  return inOneText(Object.values(value).map(partOf))
}

function inOneText(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

/** Returns the texts and numbers of a list of objects, key by key: `[{ name: 'area', value: '219' }, …]`. */
function columnsOf(value: JsonObject | readonly JsonValue[]): string[] {
  if (!Array.isArray(value)) return []
  const columns = new Map<string, string[]>()
  for (const object of value as readonly JsonValue[]) {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) continue
    for (const [key, cell] of Object.entries(object as JsonObject)) {
      const part = typeof cell === 'object' ? '' : partOf(cell)
      const column = columns.get(key)
      if (column) column.push(part)
      else columns.set(key, [part])
    }
  }
  return [...columns.values()].filter(({ length }) => length > 1).map(inOneText)
}

/**
 * Returns the values of a list or object as texts: in order, in the opposite order, and key by key for a list of objects.
 * What is no part of an SSN is a letter.
 */
export function partsOf(value: JsonObject | readonly JsonValue[]): string[] {
  const parts = Object.values(value).map(partOf)
  return [inOneText(parts), inOneText(parts.toReversed()), ...columnsOf(value)]
}

/**
 * Checks whether the parts of a list or object are an SSN, one after the other.
 *
 * @param parts One text of {@link partsOf}.
 * @param digits Nine digits.
 */
export function holdsSplitSsn(parts: string, digits: string): boolean {
  if (!/\d/.test(parts)) return false
  const backwards = [...digits].reverse().join('')
  if ([digits, backwards].some((spelling) => holdsSpelled(parts, spelling, 'digits'))) return true
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)]
  // The bytes of a text, as a `Buffer` of Node prints itself in JSON.
  const bytes = ['', '-'].map((separator) =>
    [...[area, group, serial].join(separator)].map((character) => String(character.charCodeAt(0))).join(' '),
  )
  if (bytes.some((spelling) => ` ${parts} `.includes(` ${spelling} `))) return true
  // Numbers have no leading zeros. Most lists do not hold the last one.
  if (!parts.includes(String(Number(serial)))) return false
  const splits = [
    [area, group, serial],
    [area, group + serial],
    [area + group, serial],
  ].map((split) => split.map(Number))
  // Small counts are the parts of a low SSN: 3, 2 and 5 those of 003-02-0005.
  return splits
    .filter((split) => split.join('').length >= SHORTEST_SEARCHED)
    .some((split) => new RegExp(String.raw`(?<!\d)${split.map((part) => `0*${part}`).join(' ')}(?!\d)`).test(parts))
}
