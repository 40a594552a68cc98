import { StorageError } from './storage-error.js'

/**
 * Cursors are opaque to callers: the position of the last row of a page, encoded.
 *
 * @param list What the page is of, where a cursor of another list is to be refused. That is a help and no guard: who asks
 *   decides what a page may show.
 */
export function encodeCursor(position: number, list?: string): string {
  return Buffer.from(list === undefined ? `p${position}` : `p${position}.${list}`, 'utf8').toString('base64url')
}

/** @throws `CURSOR_INVALID` for anything {@link encodeCursor} did not make of the same list. */
export function decodeCursor(cursor: string | undefined, list?: string): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const position = /^p([1-9]\d{0,15})(?:$|\.)/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1]
  if (position === undefined || encodeCursor(Number(position), list) !== cursor) {
    throw new StorageError('CURSOR_INVALID')
  }
  return Number(position)
}

/** @throws `ARGUMENT_INVALID` unless `limit` is an integer from 1 to `most`. */
export function checkedLimit(limit: number, most = 200): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most) throw new StorageError('ARGUMENT_INVALID')
  return limit
}
