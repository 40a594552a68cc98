import * as z from 'zod'

/** The query parameter `limit`: a whole number of rows. A larger one than `most` is reduced to it. */
export const pageLimit = (most: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,20}$/)
    .transform(Number)
    .pipe(z.number().min(1))
    .transform((limit) => Math.min(limit, most))
    .default(otherwise)
    .meta({
      override: { type: 'integer', minimum: 1, default: otherwise },
      description: `Rows of a page. A larger value is reduced to ${most}.`,
    })
