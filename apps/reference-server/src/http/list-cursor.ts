import * as z from 'zod'

/** Encodes a place in a list as an opaque cursor. @param list Name of the list, to refuse a cursor of another list. */
export function encodeListCursor(list: string, place: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([list, ...place]), 'utf8').toString('base64url')
}

/** Decodes a cursor of the list; null if it is not one. */
export function decodeListCursor<Place extends readonly [z.ZodType, ...z.ZodType[]]>(
  list: string,
  place: Place,
  cursor: string,
): { readonly [Index in keyof Place]: z.output<Place[Index]> } | null {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  const parsed = z.tuple([z.literal(list), ...place] as never).safeParse(value)
  return parsed.success ? ((parsed.data as unknown[]).slice(1) as never) : null
}
