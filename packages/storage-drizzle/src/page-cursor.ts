import { StorageError } from './storage-error.js'

/** Encodes the position of the last row of a page as an opaque cursor. */
export function encodeCursor(position: number): string {
  return Buffer.from(`p${position}`, 'utf8').toString('base64url')
}

/**
 * Decodes a cursor.
 *
 * @throws `CURSOR_INVALID` for a text that {@link encodeCursor} did not create.
 */
export function decodeCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const position = /^p([1-9]\d{0,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1]
  if (position === undefined || encodeCursor(Number(position)) !== cursor) {
    throw new StorageError('CURSOR_INVALID')
  }
  return Number(position)
}

/** Place of a row in a list by time. */
export interface TimedPlace {
  readonly createdAtMs: number
  readonly position: number
}

/**
 * Encodes the place of the last row of a page as an opaque cursor.
 *
 * @param list Name of the list, to refuse a cursor of another list. This only detects mistakes; it is not an access
 *   check.
 */
export function encodeTimedCursor({ createdAtMs, position }: TimedPlace, list: string): string {
  return Buffer.from(`t${createdAtMs}p${position}.${list}`, 'utf8').toString('base64url')
}

/**
 * Decodes a cursor. Returns null without one.
 *
 * @throws `CURSOR_INVALID` for a text that {@link encodeTimedCursor} did not create for the same list.
 */
export function decodeTimedCursor(cursor: string | undefined, list: string): TimedPlace | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  // 13 digits end in the year 2286: PostgreSQL does not read every time that a `Date` can have.
  const [, createdAtMs, position] = /^t(\d{1,13})p([1-9]\d{0,15})\./.exec(text) ?? []
  const place = { createdAtMs: Number(createdAtMs), position: Number(position) }
  if (position === undefined || encodeTimedCursor(place, list) !== cursor) throw new StorageError('CURSOR_INVALID')
  return place
}
