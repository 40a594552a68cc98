import { z } from 'zod'

/** A UUID of any version, the nil UUID of test events included. */
export const identifier = z.guid()

/** A finite number. */
export const amount = z.number()

export const text = z.string()

export const flag = z.boolean()

/** ISO 8601 date and time with `Z` or an offset. */
export const instant = z.iso.datetime({ offset: true })
