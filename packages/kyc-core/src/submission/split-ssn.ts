import { withDigitsForWords } from './digit-words.js'
import type { JsonObject, JsonValue } from './json-value.js'
import { SHORTEST_SEARCHED, SIX_DIGITS } from './searched-values.js'
import { foldText, holdsSpelled } from './spelled-text.js'

/** Longest text that can be a part of an SSN: longer ones are searched by themselves. */
const LONGEST_PART = 16
const HAS_LETTER = /\p{L}/u
/** Stands for a value that is no part of an SSN. */
const OTHER = 'x'
/** An SSN has nine digits. Between two of them are at most eight separators: four spaces and three parts without a digit. */
const MOST_PARTS = 9 + 8 * 3

/** A text or number as the part of an SSN that it can be, or the parts of a list or object in order. */
export type Parts = string | readonly string[]

/**
 * Returns what a text, a number or a gap is in an SSN that is split over a list.
 *
 * @param folded Result of {@link foldText} for a text, if it is known.
 */
export function partOf(value: JsonValue, folded?: string): string {
  if (typeof value === 'number') return String(value)
  // A gap: null or a boolean.
  if (typeof value !== 'string') return ''
  if (value.length > LONGEST_PART) return OTHER
  const text = folded ?? foldText(value)
  if (!HAS_LETTER.test(text)) return text
  const spoken = withDigitsForWords(text)
  return HAS_LETTER.test(spoken) ? OTHER : spoken
}

/** Joins the parts of the values of a list or object. */
export function joinParts(values: readonly Parts[]): string[] {
  const parts: string[] = []
  for (const value of values) {
    if (typeof value !== 'string') parts.push(...value)
    else if (value !== '') parts.push(value)
  }
  return parts
}

/** Returns the parts of a list or object that an SSN can share with values around it. Those between have been searched. */
export function outerParts(parts: readonly string[]): readonly string[] {
  if (parts.length <= 2 * MOST_PARTS) return parts
  return [...parts.slice(0, MOST_PARTS), OTHER, ...parts.slice(-MOST_PARTS)]
}

/** Returns the texts and numbers of a list of objects, key by key: `[{ name: 'area', value: '219' }, …]`. */
function columnsOf(value: JsonObject | readonly JsonValue[]): string[] {
  if (!Array.isArray(value)) return []
  const columns = new Map<string, string[]>()
  for (const object of value as readonly JsonValue[]) {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) continue
    for (const [key, cell] of Object.entries(object as JsonObject)) {
      const column = columns.get(key)
      if (column) column.push(partOf(cell))
      else columns.set(key, [partOf(cell)])
    }
  }
  return [...columns.values()].filter(({ length }) => length > 1).map((column) => joinParts(column).join(' '))
}

/**
 * Checks whether the values of a list or object are an SSN: in order, in the opposite order, or key by key for a list of
 * objects.
 *
 * @param values The parts of each value.
 * @param joined All of them.
 * @param digits Nine digits.
 */
export function isSplitSsn(
  value: JsonObject | readonly JsonValue[],
  values: readonly Parts[],
  joined: readonly string[],
  digits: string,
): boolean {
  const inOrder = joined.join(' ')
  if (!/\d/.test(inOrder)) return false
  const texts = [inOrder, joinParts(values.toReversed()).join(' '), ...columnsOf(value)]
  return texts.some((parts) => holdsSplitSsn(parts, digits))
}

/** Checks for nine digits in parts, one after the other. */
function holdsSplitSsn(parts: string, digits: string): boolean {
  // Most lists end here.
  if (!SIX_DIGITS.test(parts)) return false
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
