import { StorageError } from './storage-error.js'

/** @throws `ARGUMENT_INVALID` unless `limit` is an integer from 1 to `most`. */
export function checkedLimit(limit: number, most = 200): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most) throw new StorageError('ARGUMENT_INVALID')
  return limit
}

/** Cuts a page from rows that were read with one row more, which shows that there is a next page. */
export function pageOf<Row, Cursor>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => Cursor,
): { readonly items: readonly Row[]; readonly nextCursor: Cursor | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}
