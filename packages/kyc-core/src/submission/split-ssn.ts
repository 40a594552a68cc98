import type { JsonValue } from './json-value.js'
import { foldText, holdsSpelled } from './spelled-text.js'

/** Longest text that can be a part of an SSN: longer ones are searched by themselves. */
const LONGEST_PART = 16
const HAS_LETTER = /\p{L}/u
/** Stands for a value that is no part of an SSN. */
const OTHER = 'x'

/** Returns the values of a list or object in order, as one text; what is no part of an SSN is a letter. */
export function partsOf(value: JsonValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') {
    const folded = value.length <= LONGEST_PART ? foldText(value) : OTHER
    return HAS_LETTER.test(folded) ? OTHER : folded
  }
  if (typeof value !== 'object' || value === null) return OTHER
  return Object.values(value).map(partsOf).join(' ')
}

/**
 * Checks whether the parts of a list or object are an SSN, one after the other.
 *
 * @param parts Result of {@link partsOf}.
 * @param digits Nine digits.
 */
export function holdsSplitSsn(parts: string, digits: string): boolean {
  if (holdsSpelled(parts, digits, 'digits')) return true
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)]
  // The bytes of a text, as a `Buffer` of Node prints itself in JSON.
  const bytes = ['', '-'].map((separator) =>
    [...[area, group, serial].join(separator)].map((character) => String(character.charCodeAt(0))).join(' '),
  )
  if (bytes.some((spelling) => ` ${parts} `.includes(` ${spelling} `))) return true
  // Numbers have no leading zeros. Most lists do not hold the last one.
  if (!parts.includes(String(Number(serial)))) return false
  return [
    [area, group, serial],
    [area, group + serial],
    [area + group, serial],
  ].some((split) =>
    new RegExp(String.raw`(?<!\d)${split.map((part) => `0*${Number(part)}`).join(' ')}(?!\d)`).test(parts),
  )
}
