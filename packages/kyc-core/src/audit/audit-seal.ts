import { checkArgument, hasMethods } from '../check-argument.js'
import { auditChainOf, NO_MAC } from './audit-entry.js'
import type { AuditEntry, AuditEvent, AuditHead, AuditLogName } from './audit-entry.js'
import { encodeFields, type AuditField } from './audit-fields.js'

/** Hash functions of an {@link AuditSeal}. They return 64 lower-case hexadecimal characters. */
export interface AuditHashes {
  /** Id of the key for new entries. */
  readonly keyId: string
  /** HMAC-SHA-256 of the UTF-8 bytes under the key with this id; null for an unknown key. */
  hmacSha256Hex(keyId: string, text: string): string | null
  /** SHA-256 of the bytes, or of the UTF-8 bytes of a text. */
  sha256Hex(data: string | Uint8Array): string
}

/** Result of checking the MAC of an entry or a checkpoint. */
export type SealVerdict = 'INTACT' | 'CHANGED' | 'KEY_UNKNOWN'

/** Head of one chain at one time. Keep it outside the database. */
export interface AuditCheckpoint extends AuditHead {
  readonly log: AuditLogName
  /** Milliseconds since 1970, UTC. */
  readonly atMs: number
}

/** A checkpoint with the MAC that protects it from forgery. */
export interface SealedCheckpoint extends AuditCheckpoint {
  readonly keyId: string
  readonly seal: string
}

/**
 * Seals and checks the entries of an audit log. Holds the audit key, which is never in a database. It is synchronous
 * because each entry is sealed inside the transaction of its change.
 */
export interface AuditSeal {
  /** Returns the chain for a user id or another text: 0 to `chains` − 1. */
  chainOf(text: string, chains: number): number
  /** Returns the SHA-256 of the canonical text of these fields. */
  digest(content: AuditField): string
  /** Returns the entry after `head`; null starts a chain. */
  next(log: AuditLogName, chain: number, head: AuditHead | null, event: AuditEvent): AuditEntry
  /** Checks the MAC of an entry for this log and position. */
  check(log: AuditLogName, entry: AuditEntry): SealVerdict
  /** Returns the checkpoint with a MAC under the current key. */
  sealCheckpoint(checkpoint: AuditCheckpoint): SealedCheckpoint
  /** Checks the MAC of a checkpoint. */
  checkCheckpoint(checkpoint: SealedCheckpoint): SealVerdict
}

/**
 * Creates an {@link AuditSeal} from an implementation of the two hashes. `createLocalAuditSeal` of
 * `@kyc-relay/kyc-core/node` takes the keys from a key file.
 *
 * @throws KycError `ARGUMENT_INVALID` without the id or a hash
 *
 * @example
 * ```ts
 * import { createHash, createHmac } from 'node:crypto'
 * import { createAuditSeal } from '@kyc-relay/kyc-core/audit'
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
  checkArgument(hasMethods(hashes, 'hmacSha256Hex', 'sha256Hex') && typeof hashes.keyId === 'string')
  const encode = (fields: readonly AuditField[]): string => encodeFields(fields, hashes.sha256Hex)

  // The first field separates entries from checkpoints, and versions of the format from each other.
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
      entry.actor,
      entry.reason,
    ])

  const checkpointText = ({ log, chain, sequence, mac, atMs, keyId }: Omit<SealedCheckpoint, 'seal'>): string =>
    encode(['kyc-relay audit checkpoint 1', log, chain, sequence, mac, atMs, keyId])

  function seal(text: string): string {
    const mac = hashes.hmacSha256Hex(hashes.keyId, text)
    if (mac === null) throw new TypeError('`hmacSha256Hex` returned null for `keyId`.')
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
      const { kind, atMs, appId, userId, subject, contentDigest, actor = null, reason = null } = event
      const place = {
        chain,
        sequence: (head?.sequence ?? 0) + 1,
        keyId: hashes.keyId,
        previousMac: head?.mac ?? NO_MAC,
      }
      const entry = { kind, atMs, appId, userId, subject, contentDigest, actor, reason, ...place }
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
