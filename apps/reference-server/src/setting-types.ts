import { z } from 'zod'

/** `1` or `true`, `0` or `false`; off when it is not set. */
export const flag = z
  .enum(['0', '1', 'true', 'false'])
  .default('0')
  .transform((value) => value === '1' || value === 'true')
/** As {@link flag}; on when it is not set. */
export const flagThatIsOn = z
  .enum(['0', '1', 'true', 'false'])
  .default('1')
  .transform((value) => value === '1' || value === 'true')
/** Digits alone: `Number` also takes blanks for 0, hexadecimal and exponents. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
export const port = (fallback: number) => whole(0, 65_535).default(fallback)
/** What an `Authorization: Bearer` header can carry, long enough not to be guessed. */
export const bearerToken = z
  .string()
  .regex(/^[\x21-\x7e]{16,}$/)
  .optional()
export const filePath = z.string().min(1).optional()
export const databaseUrl = z
  .string()
  .regex(/^(?:file:.+|postgres(?:ql)?:\/\/.+)$/)
  .optional()
