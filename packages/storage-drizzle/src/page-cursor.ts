import { StorageError } from './storage-error.js'

/** Cursors are opaque to callers: the position of the last row of a page, encoded. */
export function encodeCursor(position: number): string {
  return Buffer.from(`p${position}`, 'latin1').toString('base64url')
}

/** @throws `CURSOR_INVALID` for anything {@link encodeCursor} did not make. */
export function decodeCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const position = /^p([1-9]\d{0,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (position === undefined || encodeCursor(Number(position)) !== cursor) throw new StorageError('CURSOR_INVALID')
  return Number(position)
}

/** @throws `ARGUMENT_INVALID` unless `limit` is an integer from 1 to `most`. */
export function checkedLimit(limit: number, most = 200): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most) throw new StorageError('ARGUMENT_INVALID')
  return limit
}
