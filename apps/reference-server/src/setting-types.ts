import * as z from 'zod'
import { configuredToken } from './identity/bearer.js'

/** One environment variable: type, default as text, and description. */
export interface Setting<Type extends z.ZodType = z.ZodType> {
  readonly type: Type
  readonly text: string
  /** Default as text; null if it depends on other settings. */
  readonly fallback: string | null
  /** Example value, if there is no fixed default. */
  readonly example: string
  /** Expected values, range or format, for the error text of a malformed value. */
  readonly expected: string
}

type TextType = z.ZodType<unknown, string>

/** A setting with a default. The description of the type says what is expected. */
export function setting<Type extends TextType>(
  type: Type,
  fallback: z.input<Type>,
  text: string,
): Setting<z.ZodPrefault<Type>> {
  return { type: type.prefault(fallback as never), text, fallback, example: '', expected: type.description ?? '' }
}

/** An optional setting. */
export function optional<Type extends TextType>(
  type: Type,
  text: string,
  { example = '', expected = type.description ?? '' }: { readonly example?: string; readonly expected?: string } = {},
): Setting<z.ZodOptional<Type>> {
  return { type: type.optional(), text, fallback: null, example, expected }
}

/** A boolean: `1` or `true`, `0` or `false`. */
export const flag = z
  .enum(['0', '1', 'true', 'false'])
  .transform((value) => value === '1' || value === 'true')
  .describe('1 (or true), or 0 (or false)')

export const oneOf = <const Names extends readonly string[]>(...names: Names) =>
  z.enum(names).describe(`one of ${names.join(', ')}`)

/** Accepts only digits: `Number` also accepts blanks, hexadecimal and exponents. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .describe(`a whole number from ${least} to ${most}`)

export const port = whole(0, 65_535).describe('a port: a whole number from 1 to 65535, or 0 for any free port')
export const requestsPerMinute = whole(1, 9_999_999_999)
export const days = whole(1, 36_500)

export const text = z.string().min(1).describe('a text')
export const filePath = z.string().min(1).describe('the path of a file')
export const url = z.url().describe('a full URL')
export const proxyUrl = z
  .url({ protocol: /^https?$/ })
  // A percent sign begins two hexadecimal digits, or the password does not decode.
  .refine((text) => /^https?:\/\/(?:(?:[^/?#@%]|%[\da-f]{2})+@)?[^/?#@]+\/?$/i.test(text))
/** Options, as in `file:kyc.db?mode=ro`, would be part of the name of a new file. */
export const databaseUrl = z.string().regex(/^(?:file:[^?\r\n]+|postgres(?:ql)?:\/\/.+)$/)

/** A secret for an `Authorization: Bearer` header. */
export const bearerToken = z.string().regex(configuredToken)

/** A comma-separated list. */
export const listOf = (form: RegExp) =>
  z
    .string()
    .transform((list) =>
      list
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(z.string().regex(form)))

export const hostNames = z
  .string()
  .toLowerCase()
  .pipe(listOf(/^[a-z0-9.-]{1,253}$/))
