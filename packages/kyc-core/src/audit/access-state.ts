import type { AuditEntry } from './audit-entry.js'
import type { AccessRow } from './audit-log.js'

/** What the entries of a log say about keys, tokens, grants, endpoints with their pauses, and corrections. */
export interface AccessState {
  /** Reads entries, in the order of their chain. */
  read(entries: readonly AuditEntry[]): void
  /** Compares a row; null if it is as its entries say. */
  compare(row: AccessRow): 'ROW_DIFFERS' | 'ROW_WITHOUT_ENTRY' | null
  /** Lists rows that entries know and that were not compared. */
  missing(): readonly string[]
}

/** Returns the name of the row that an entry is about; null for an entry about no such row. */
export function accessNameOf({ kind, appId, userId, subject }: AuditEntry): string | null {
  if (kind.startsWith('GRANT_')) return `grant ${appId} ${userId}`
  if (kind === 'ACCESS_TOKEN_ISSUED') return `token ${subject}`
  if (kind === 'KYC_STATUS_CORRECTED') return `correction ${subject}`
  if (kind === 'ENDPOINT_PAUSED' || kind === 'ENDPOINT_RESUMED') return `pause ${subject}`
  if (kind.startsWith('ENDPOINT_')) return `endpoint ${subject}`
  if (kind.startsWith('API_KEY_')) return `key ${appId} ${subject}`
  return null
}

interface Known {
  /** Digest of the row; null for a row that was removed. */
  digest: string | null
  /** Time of the revocation or removal. */
  endedAtMs: number | null
}

/** Creates the state before the first entry. */
export function createAccessState(): AccessState {
  const known = new Map<string, Known>()
  return {
    read(entries) {
      for (const entry of entries) {
        const name = accessNameOf(entry)
        if (name === null) continue
        const row = known.get(name) ?? { digest: null, endedAtMs: null }
        if (begins.has(entry.kind)) row.digest = entry.contentDigest
        if (entry.kind === 'GRANT_REVOKED' || entry.kind === 'ENDPOINT_RESUMED') row.digest = null
        if (ends.has(entry.kind)) row.endedAtMs = entry.atMs
        known.set(name, row)
      }
    },
    compare({ name, digest, endedAtMs }) {
      const row = known.get(name)
      known.delete(name)
      if (row?.digest == null) return 'ROW_WITHOUT_ENTRY'
      if (digest !== null && row.digest !== digest) return 'ROW_DIFFERS'
      if (name.startsWith('endpoint ') && (endedAtMs === null) !== (row.endedAtMs === null)) return 'ROW_DIFFERS'
      // A newer key can retire a key earlier than its own entry says, and never later.
      if (name.startsWith('key ') && (endedAtMs ?? Infinity) > (row.endedAtMs ?? Infinity)) return 'ROW_DIFFERS'
      return null
    },
    // Retention removes tokens, and a revoked grant takes its tokens with it.
    missing: () =>
      [...known].flatMap(([name, { digest }]) => (digest === null || name.startsWith('token ') ? [] : [name])),
  }
}

const begins: ReadonlySet<string> = new Set([
  ...[
    'GRANT_GIVEN',
    'GRANT_NARROWED',
    'ACCESS_TOKEN_ISSUED',
    'ENDPOINT_REGISTERED',
    'API_KEY_ADDED',
    'API_KEY_ISSUED',
    'API_KEY_REWRAPPED',
  ],
  ...['ENDPOINT_PAUSED', 'KYC_STATUS_CORRECTED'],
])
const ends: ReadonlySet<string> = new Set(['ENDPOINT_REMOVED', 'API_KEY_DISCARDED', 'API_KEY_REVOKED'])
