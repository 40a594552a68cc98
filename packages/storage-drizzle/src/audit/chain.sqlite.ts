import type Database from 'better-sqlite3'
import { actedBy } from './acted-by.js'
import type { AuditActor, AuditEntry, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent, AuditHead, AuditLogName } from '@kyc-relay/kyc-core/internal'
import { auditTables } from './audit-tables.js'
import { StorageError } from '../storage-error.js'
import { storageErrorOf } from '../engine/sqlite/errors.js'
import { prepare } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'

/** Appends to one audit log, inside the transaction of the recorded change. */
export interface AuditChain {
  readonly seal: AuditSeal
  /**
   * Appends an entry.
   *
   * @throws `AUDIT_INCOMPLETE` when the log is missing; the caller must then roll back.
   */
  append(event: AuditEvent, actor?: AuditActor): void
}

/**
 * Opens the audit log of a connection and starts it if it has no entry. It has one chain because SQLite has one writer.
 */
export function openAuditChain(
  client: Database.Database,
  log: AuditLogName,
  options: { readonly seal: AuditSeal; readonly commits: GroupCommit; readonly now: () => Date },
): AuditChain {
  const { seal, commits, now } = options
  const { entries, rows } = auditTables[log]
  const findNewest = prepare<[], { sequence: number; mac: Buffer }>(
    client,
    `SELECT sequence, mac FROM ${entries} WHERE sequence > 0 ORDER BY sequence DESC LIMIT 1`,
  )
  const insertEntry = prepare<
    [
      number,
      string,
      number,
      string | null,
      string | null,
      string,
      string | null,
      string | null,
      Buffer,
      string,
      Buffer,
      Buffer,
    ]
  >(
    client,
    `INSERT INTO ${entries}
      (sequence, kind, at, app_id, user_id, subject, actor, reason, content_digest, key_id, previous_mac, mac)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  function insert(entry: AuditEntry): void {
    const { sequence, kind, atMs, appId, userId, subject, actor, reason, contentDigest, keyId, previousMac, mac } =
      entry
    const stored = [contentDigest, previousMac, mac].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer, Buffer]
    insertEntry.run(sequence, kind, atMs, appId, userId, subject, actor, reason, stored[0], keyId, stored[1], stored[2])
  }

  function begin(): void {
    if (findNewest.get() !== undefined) return
    const newest = prepare<[], { position: number }>(
      client,
      `SELECT position FROM ${rows} WHERE position > 0 ORDER BY position DESC LIMIT 1`,
    ).get()
    const subject = String(newest?.position ?? 0)
    const event = { kind: 'CHAIN_STARTED', atMs: now().getTime(), appId: null, userId: null, subject } as const
    insert(seal.next(log, 0, null, { ...event, contentDigest: seal.digest(null) }))
  }

  // Checked first, so that opening a database with a started log writes nothing.
  try {
    if (findNewest.get() === undefined) client.transaction(begin).immediate()
  } catch (error) {
    throw storageErrorOf(error)
  }

  /** Cache of the newest entry; `commits` tells whether it is still valid. */
  let remembered: { readonly epoch: number; readonly head: AuditHead } | null = null

  function head(): AuditHead {
    if (remembered?.epoch === commits.epoch()) return remembered.head
    const newest = findNewest.get()
    if (newest === undefined) throw new StorageError('AUDIT_INCOMPLETE')
    return { chain: 0, sequence: newest.sequence, mac: newest.mac.toString('hex') }
  }

  return {
    seal,
    append(event, actor) {
      const entry = seal.next(log, 0, head(), actedBy(event, actor))
      insert(entry)
      remembered = { epoch: commits.epoch(), head: entry }
    },
  }
}
