import { QUERY_LIMITS } from './query-limits.js'

/**
 * Position of an edge in the list: `skip` rows after a cursor of the store. The store returns one cursor per page; a
 * Relay connection needs one per edge.
 */
export interface EdgePosition {
  /** Undefined means the start of the list. */
  readonly cursor: string | undefined
  readonly skip: number
}

/** Encodes the position as a cursor; clients treat it as opaque. */
export function writeEdgeCursor({ cursor, skip }: EdgePosition): string {
  return cursor === undefined ? `${skip}` : `${skip}.${cursor}`
}

/** Decodes a cursor; null for text that {@link writeEdgeCursor} never writes. */
export function parseEdgeCursor(text: string): EdgePosition | null {
  const match = /^(\d{1,3})(?:\.(.{1,512}))?$/.exec(text)
  if (!match || Number(match[1]) > QUERY_LIMITS.pageSize) return null
  return { cursor: match[2], skip: Number(match[1]) }
}
