import { QUERY_LIMITS } from './query-limits.js'

/**
 * Where in the list an edge stands: `skip` rows after a cursor of the store. The store gives one cursor per page, the
 * Relay connection needs one per edge.
 */
export interface EdgePosition {
  /** Undefined: the start of the list. */
  readonly cursor: string | undefined
  readonly skip: number
}

/** Opaque to clients. */
export function writeEdgeCursor({ cursor, skip }: EdgePosition): string {
  return cursor === undefined ? `${skip}` : `${skip}.${cursor}`
}

/** Null for what {@link writeEdgeCursor} never writes. */
export function parseEdgeCursor(text: string): EdgePosition | null {
  const match = /^(\d{1,3})(?:\.(.{1,512}))?$/.exec(text)
  if (!match || Number(match[1]) > QUERY_LIMITS.pageSize) return null
  return { cursor: match[2], skip: Number(match[1]) }
}
