import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { AccessRow } from '@kyc-relay/kyc-core/internal'
import { checkedLimit } from '../pages.js'
import { StorageError } from '../storage-error.js'

/** Values of the columns that order a list. */
export type RowKey = readonly (string | number | Uint8Array)[]

/** Reads one list after the row with this key, in the order of the key. An empty key is before the first row. */
export type AccessList = (
  after: RowKey,
  limit: number,
) => Promise<readonly { readonly rows: readonly AccessRow[]; readonly key: RowKey }[]>

/** Lists the rows that entries speak of, list by list. The cursor is the number of the list and the last row of the page. */
export function accessPages(lists: readonly AccessList[]): NonNullable<AuditLog['listAccess']> {
  return async ({ cursor, limit }) => {
    checkedLimit(limit, 1_000)
    const [at, after] = cursor === null ? ([0, []] as const) : decodePlace(cursor)
    const list = lists[at]
    if (list === undefined) return { rows: [], nextCursor: null }
    const found = await list(after, limit)
    const last = found.length < limit ? undefined : found.at(-1)
    return {
      rows: found.flatMap(({ rows }) => rows),
      nextCursor: last === undefined ? encodePlace(at + 1, []) : encodePlace(at, last.key),
    }
  }
}

const encodePlace = (list: number, key: RowKey) =>
  JSON.stringify([
    list,
    key.map((one) => (one instanceof Uint8Array ? { hex: Buffer.from(one).toString('hex') } : one)),
  ])

/** @throws `CURSOR_INVALID` for a text that {@link encodePlace} did not create. */
function decodePlace(cursor: string): readonly [list: number, key: RowKey] {
  try {
    const [list, stored] = JSON.parse(cursor) as [number, (string | number | { readonly hex: string })[]]
    const key = stored.map((one) => (typeof one === 'object' ? Buffer.from(one.hex, 'hex') : one))
    if (Number.isSafeInteger(list) && encodePlace(list, key) === cursor) return [list, key]
  } catch {
    // Neither JSON nor a place: refused below.
  }
  throw new StorageError('CURSOR_INVALID')
}
