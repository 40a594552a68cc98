import * as z from 'zod'
import { isCurrencyCode } from './currency-codes.js'

// zod is not a peer: a receiver needs none, and must install beside any version.
if (typeof (z as { readonly guid?: unknown }).guid !== 'function') {
  throw new Error('@kyc-relay/webhooks needs zod 4 for ./events and ./delivery. Install zod@4.')
}

/** A UUID of any version, the nil UUID of test events included. */
export const identifier = z.guid()

/** A finite number that JSON holds exactly: integers beyond 2^53 are rounded somewhere on the way. */
export const amount = z
  .number()
  .refine((number) => !Number.isInteger(number) || Number.isSafeInteger(number), { abort: true })

/** An amount in USD that a user paid: above zero, at most two decimal places. From 2^46 on, numbers round cents. */
export const paidAmount = amount
  .positive({ abort: true })
  .refine((number) => /^\d+(?:\.\d{1,2})?$/.test(String(number)) && (number < 2 ** 46 || Number.isInteger(number)))

/** An integer that JSON holds exactly. */
export const integer = z.int()

/** Four digits. */
export const lastFour = z.string().regex(/^\d{4}$/)

/** Six digits. */
export const sixDigits = z.string().regex(/^\d{6}$/)

/** A currency code of ISO 4217. */
export const currencyCode = z.string().refine(isCurrencyCode)

export const text = z.string()

export const flag = z.boolean()

/** ISO 8601 date and time with `Z` or an offset. */
export const instant = z.iso.datetime({ offset: true })
