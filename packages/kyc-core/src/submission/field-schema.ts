import * as z from 'zod'
import { hasSurplusMarks } from './combining-marks.js'
import type { JsonValue } from './json-value.js'
import type { ViolationCode } from './violation.js'

/** Checks a text; returns the code of its violation, or null. */
export type TextRule = (text: string) => ViolationCode | null

/** JSON Schema keywords for the same field. */
export interface TextKeywords {
  readonly description?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly examples?: readonly string[]
}

/** Puts our code in place of zod's message: texts of a library never leave this package. */
export function missingOr(code: ViolationCode): { error: (issue: { readonly input?: unknown }) => ViolationCode } {
  return { error: (issue) => (issue.input === undefined ? 'REQUIRED' : code) }
}

/** What a text field takes beside its rule. */
export interface TextOptions extends TextKeywords {
  /** Most Unicode characters, counted after NFC composition. `maxLength` follows from it. Default: any number. */
  readonly atMost?: number
  /** Tidies a text before its rule sees it. */
  readonly tidy?: (text: string) => string
}

/** Creates the schema of a text with one rule, and so with at most one violation. */
export function textField(rule: TextRule, options: TextOptions) {
  return schemaOf(limited(rule, options), options)
}

/** Creates the schema of a required text. Empty or blank text counts as missing. */
export function requiredTextField(rule: TextRule, options: TextOptions) {
  const limitedRule = limited(rule, options)
  const required: TextRule = (text) => (text.trim() === '' ? 'REQUIRED' : limitedRule(text))
  return schemaOf(required, { minLength: 1, ...options })
}

function schemaOf(rule: TextRule, { atMost, tidy, ...keywords }: TextOptions) {
  const text = z.string(missingOr('TYPE'))
  // JSON Schema counts code points before NFC composition.
  const maxLength = atMost === undefined ? {} : { maxLength: atMost * MOST_DECOMPOSITION }
  return (tidy ? text.overwrite(tidy) : text)
    .superRefine((text, context) => {
      const code = rule(text)
      if (code) context.addIssue({ code: 'custom', message: code })
    })
    .meta({ ...maxLength, ...keywords })
}

/** Creates the schema of a closed list. Letter case must match. */
export function enumField<const T extends readonly [string, ...string[]]>(values: T, description: string) {
  return z
    .enum(values, {
      error: (issue) => (issue.input === undefined ? 'REQUIRED' : typeof issue.input === 'string' ? 'ENUM' : 'TYPE'),
    })
    .meta({ description })
}

/** Creates the schema of an object without other fields. */
export function closedObject<T extends z.ZodRawShape>(shape: T, description: string) {
  return z.strictObject(shape, missingOr('TYPE')).meta({ description })
}

/** Creates the schema of an object with any fields of the partner. */
export function openObject(description: string) {
  // `readJson` has already checked that the object holds only JSON.
  const anyJson: z.ZodType<JsonValue> = z.custom<JsonValue>()
  return z.record(z.string(), anyJson, missingOr('TYPE')).meta({ description })
}

/** Largest factor by which NFC composition lengthens a text (UAX #15, table 14). */
const MOST_EXPANSION = 3

/** Most code points of one character before NFC composition: `ᾂ` is a letter with three marks. */
const MOST_DECOMPOSITION = 4

/** Most UTF-16 units of one: a vowel sign of Gurung Khema is three surrogate pairs. */
const MOST_UNITS = 6

function limited(rule: TextRule, { atMost = Infinity }: TextOptions): TextRule {
  const isLong = (text: string): boolean =>
    text.length * MOST_EXPANSION > atMost && [...text.normalize('NFC')].length > atMost
  return (text) => {
    // A long text is not normalized.
    if (text.length > atMost * MOST_UNITS) return 'TOO_LONG'
    if (hasSurplusMarks(text)) return 'FORMAT'
    return isLong(text) ? 'TOO_LONG' : rule(text)
  }
}

/** Takes any text. */
export const anyText: TextRule = () => null

/** Requires the pattern, else `FORMAT`. */
export function matching(pattern: RegExp): TextRule {
  return (text) => (pattern.test(text) ? null : 'FORMAT')
}
