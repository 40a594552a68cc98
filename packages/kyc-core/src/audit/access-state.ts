import type { AuditEntry } from './audit-entry.js'
import type { AccessRow } from './audit-log.js'

/** What the entries of a log say about apps, their keys, tokens, grants, endpoints, corrections, holds and closures. */
export interface AccessState {
  /** Reads entries, in the order of their chain. */
  read(entries: readonly AuditEntry[]): void
  /** Compares a row; null if it is as its entries say. */
  compare(row: AccessRow): 'ROW_DIFFERS' | 'ROW_WITHOUT_ENTRY' | null
  /** Lists rows that entries know and that were not compared. */
  missing(): readonly string[]
}

/** Returns the names of the rows that an entry is about, with the digest that they have after it; null for no row. */
function rowsAfter({ kind, appId, userId, subject, contentDigest }: AuditEntry): readonly Change[] {
  switch (kind) {
    case 'GRANT_GIVEN':
    case 'GRANT_NARROWED':
      return [
        [`grant ${appId} ${userId}`, contentDigest],
        [`revocation ${appId} ${userId}`, null],
      ]
    case 'GRANT_REVOKED':
      return [
        [`grant ${appId} ${userId}`, null],
        [`revocation ${appId} ${userId}`, contentDigest],
      ]
    case 'ACCESS_TOKEN_ISSUED':
      return [[`token ${subject}`, contentDigest]]
    case 'KYC_STATUS_CORRECTED':
      return [[`correction ${subject}`, contentDigest]]
    case 'APP_CREATED':
      return [[`app ${appId}`, contentDigest]]
    case 'LEGAL_HOLD_PLACED':
      return [[`hold ${userId}`, contentDigest]]
    case 'LEGAL_HOLD_RELEASED':
      return [[`hold ${userId}`, null]]
    case 'USER_CLOSED':
      return [[`closure ${userId}`, subject === 'open' ? null : contentDigest]]
    case 'ENDPOINT_REGISTERED':
    case 'ENDPOINT_REMOVED':
    case 'ENDPOINT_PAUSED':
    case 'ENDPOINT_RESUMED':
      return [[`endpoint ${subject}`, contentDigest]]
    case 'API_KEY_ADDED':
    case 'API_KEY_ISSUED':
    case 'API_KEY_ACTIVATED':
    case 'API_KEY_RETIRED':
    case 'API_KEY_DISCARDED':
    case 'API_KEY_REVOKED':
    case 'API_KEY_REWRAPPED':
      return [[`key ${appId} ${subject}`, contentDigest]]
    default:
      return []
  }
}

type Change = readonly [name: string, digest: string | null]

/** An erasure removes the closure of its user when it ends. */
const isOfErasure = ({ kind }: AuditEntry): boolean => kind === 'ERASURE_STARTED' || kind === 'USER_ERASED'

/** Returns the names of the rows that an entry is about, or that its erasure removes. */
export const accessNamesOf = (entry: AuditEntry): readonly string[] =>
  isOfErasure(entry) ? [`closure ${entry.userId}`] : rowsAfter(entry).map(([name]) => name)

/** Creates the state before the first entry. */
export function createAccessState(): AccessState {
  /** Digest of each row; null for a row that was removed. */
  const known = new Map<string, string | null>()
  /** Closures that an erasure may have removed. */
  const erased = new Set<string>()
  return {
    read(entries) {
      for (const entry of entries) {
        for (const [name, digest] of rowsAfter(entry)) known.set(name, digest)
        const closure = `closure ${entry.userId}`
        if (entry.kind === 'USER_CLOSED') erased.delete(closure)
        if (isOfErasure(entry)) erased.add(closure)
      }
    },
    compare({ name, digest }) {
      const expected = known.get(name)
      known.delete(name)
      if (expected == null) return 'ROW_WITHOUT_ENTRY'
      return expected === digest ? null : 'ROW_DIFFERS'
    },
    // Retention removes tokens, and a revoked grant takes its tokens with it.
    missing: () =>
      [...known].flatMap(([name, digest]) =>
        digest === null || name.startsWith('token ') || erased.has(name) ? [] : [name],
      ),
  }
}
