import { auditChainOf, NO_MAC } from './audit-entry.js'
import type { AuditEntry, AuditEvent, AuditHead, AuditLogName } from './audit-entry.js'
import { encodeFields, type AuditField } from './audit-fields.js'

/** The cryptography under an {@link AuditSeal}. Answers are 64 lower-case hexadecimal characters. */
export interface AuditHashes {
  /** Id of the key for new entries. */
  readonly keyId: string
  /** HMAC-SHA-256 of the UTF-8 bytes under the key of this id; null for a key that is not known. */
  hmacSha256Hex(keyId: string, text: string): string | null
  /** SHA-256 of the bytes, or of the UTF-8 bytes of a text. */
  sha256Hex(data: string | Uint8Array): string
}

/** Whether an entry or a checkpoint is what was once sealed. */
export type SealVerdict = 'INTACT' | 'CHANGED' | 'KEY_UNKNOWN'

/** One chain's head as witnessed at an instant, to be kept outside the database. */
export interface AuditCheckpoint extends AuditHead {
  readonly log: AuditLogName
  /** Milliseconds since 1970, UTC. */
  readonly atMs: number
}

/** A checkpoint with the MAC that keeps it from being made up. */
export interface SealedCheckpoint extends AuditCheckpoint {
  readonly keyId: string
  readonly seal: string
}

/**
 * Makes and checks the entries of an audit log. Holds the audit key, which is never in a database; synchronous, since
 * entries are made inside the transaction that they speak of.
 */
export interface AuditSeal {
  /** Which of so many chains what concerns this user (or other text) belongs to. */
  chainOf(text: string, chains: number): number
  /** SHA-256 of the canonical text of these fields. */
  digest(content: AuditField): string
  /** The entry that follows `head`; null begins a chain. */
  next(log: AuditLogName, chain: number, head: AuditHead | null, event: AuditEvent): AuditEntry
  /** Whether an entry is as it was sealed for this log and place. */
  check(log: AuditLogName, entry: AuditEntry): SealVerdict
  /** The checkpoint with a MAC under the current key. */
  sealCheckpoint(checkpoint: AuditCheckpoint): SealedCheckpoint
  /** Whether a checkpoint is as it was sealed. */
  checkCheckpoint(checkpoint: SealedCheckpoint): SealVerdict
}

/**
 * An {@link AuditSeal} over any implementation of the two hashes. `createLocalAuditSeal` of `@kyc-relay/kyc-core/node`
 * has one with keys of a key file.
 *
 * @example
 * ```ts
 * import { createHash, createHmac } from 'node:crypto'
 * import { createAuditSeal } from '@kyc-relay/kyc-core'
 *
 * export const sealWith = (key: Uint8Array) =>
 *   createAuditSeal({
 *     keyId: 'audit-1',
 *     hmacSha256Hex: (id, text) => (id === 'audit-1' ? createHmac('sha256', key).update(text).digest('hex') : null),
 *     sha256Hex: (data) => createHash('sha256').update(data).digest('hex'),
 *   })
 * ```
 */
export function createAuditSeal(hashes: AuditHashes): AuditSeal {
  const encode = (fields: readonly AuditField[]): string => encodeFields(fields, hashes.sha256Hex)

  // The first field tells the two kinds of sealed texts, and later versions of them, apart.
  const entryText = (log: AuditLogName, entry: Omit<AuditEntry, 'mac'>): string =>
    encode([
      'kyc-relay audit entry 1',
      log,
      entry.chain,
      entry.sequence,
      entry.keyId,
      entry.previousMac,
      entry.kind,
      entry.atMs,
      entry.appId,
      entry.userId,
      entry.subject,
      entry.contentDigest,
    ])

  const checkpointText = ({ log, chain, sequence, mac, atMs, keyId }: Omit<SealedCheckpoint, 'seal'>): string =>
    encode(['kyc-relay audit checkpoint 1', log, chain, sequence, mac, atMs, keyId])

  function seal(text: string): string {
    const mac = hashes.hmacSha256Hex(hashes.keyId, text)
    if (mac === null) throw new TypeError('The hashes do not know their own key.')
    return mac
  }

  function verdict(keyId: string, text: string, mac: string): SealVerdict {
    const expected = hashes.hmacSha256Hex(keyId, text)
    if (expected === null) return 'KEY_UNKNOWN'
    return expected === mac ? 'INTACT' : 'CHANGED'
  }

  return {
    chainOf: auditChainOf,
    digest: (content) => hashes.sha256Hex(encodeFields(content, hashes.sha256Hex)),
    next(log, chain, head, event) {
      const { kind, atMs, appId, userId, subject, contentDigest } = event
      const place = {
        chain,
        sequence: (head?.sequence ?? 0) + 1,
        keyId: hashes.keyId,
        previousMac: head?.mac ?? NO_MAC,
      }
      const entry = { kind, atMs, appId, userId, subject, contentDigest, ...place }
      return { ...entry, mac: seal(entryText(log, entry)) }
    },
    check: (log, entry) => verdict(entry.keyId, entryText(log, entry), entry.mac),
    sealCheckpoint({ log, chain, sequence, mac, atMs }) {
      const checkpoint = { log, chain, sequence, mac, atMs, keyId: hashes.keyId }
      return { ...checkpoint, seal: seal(checkpointText(checkpoint)) }
    },
    checkCheckpoint: (checkpoint) => verdict(checkpoint.keyId, checkpointText(checkpoint), checkpoint.seal),
  }
}
