import { z } from 'zod'
import type { JsonValue } from './json-value.js'
import type { ViolationCode } from './violation.js'

/** Says what is wrong with a text of the right type, or null. */
export type TextRule = (text: string) => ViolationCode | null

/** What a JSON Schema can say of the same field. */
export interface TextKeywords {
  readonly description?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly examples?: readonly string[]
}

/** zod's own messages never leave this package: each schema carries our code in their place. */
export function missingOr(code: ViolationCode): { error: (issue: { readonly input?: unknown }) => ViolationCode } {
  return { error: (issue) => (issue.input === undefined ? 'REQUIRED' : code) }
}

/** A text with one rule, so that it has one violation at most. */
export function textField(rule: TextRule, keywords: TextKeywords) {
  return z
    .string(missingOr('TYPE'))
    .superRefine((text, context) => {
      const code = rule(text)
      if (code) context.addIssue({ code: 'custom', message: code })
    })
    .meta({ ...keywords })
}

/** A required text: empty or blank counts as missing. */
export function requiredTextField(rule: TextRule, keywords: TextKeywords) {
  return textField((text) => (text.trim() === '' ? 'REQUIRED' : rule(text)), { minLength: 1, ...keywords })
}

/** One of a closed list, exactly as written. */
export function enumField<const T extends readonly [string, ...string[]]>(values: T, description: string) {
  return z
    .enum(values, {
      error: (issue) => (issue.input === undefined ? 'REQUIRED' : typeof issue.input === 'string' ? 'ENUM' : 'TYPE'),
    })
    .meta({ description })
}

/** A closed object. */
export function closedObject<T extends z.ZodRawShape>(shape: T, description: string) {
  return z.strictObject(shape, missingOr('TYPE')).meta({ description })
}

/** An open object: its members are the partner's own. */
export function openObject(description: string) {
  // readJson has made sure that it holds nothing but JSON.
  const anyJson: z.ZodType<JsonValue> = z.custom<JsonValue>()
  return z.record(z.string(), anyJson, missingOr('TYPE')).meta({ description })
}

/** Composing accents makes no text longer than this (UAX #15, table 14). */
const MOST_EXPANSION = 3

/** At most so many Unicode characters, counted after composing accents. */
export function atMost(characters: number, rule: TextRule = () => null): TextRule {
  const isLong = (text: string): boolean =>
    text.length * MOST_EXPANSION > characters && [...text.normalize('NFC')].length > characters
  return (text) => (isLong(text) ? 'TOO_LONG' : rule(text))
}

/** The pattern or `FORMAT`. */
export function matching(pattern: RegExp, code: ViolationCode = 'FORMAT'): TextRule {
  return (text) => (pattern.test(text) ? null : code)
}
