import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ExistingSubmission, VerificationStore } from '@kyc-relay/kyc-core'
import type { Recording, SubmissionKey } from '@kyc-relay/kyc-core/internal'
import { checkedId } from '../checked-owner.js'
import { erasableMac, newErasableKey } from '../audit/erasable-parts.js'
import { verificationEvent } from '../audit/recorded-content.js'
import { decodeCursor, encodeCursor } from '../page-cursor.js'
import { checkedLimit, pageOf } from '../pages.js'
import { StorageError } from '../storage-error.js'
import { asBuffer } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { refuseDuringErasure } from '../user-retention/store.postgres.js'
import { insertKey, insertVerification, lockStatus, prepareVerificationReads } from './statements.postgres.js'
import { referencedTokens } from './referenced-tokens.js'
import { listColumns, verificationRecordOf } from './verification-record.js'

/** Rolls a transaction back: the key, or the verification id, belongs to another submission. */
const taken = new StorageError('CONSTRAINT', '23505')

const later = (one: Date, other: Date = one): Date => (other > one ? other : one)

const cursorOf = ({ position }: { readonly position: number }) => encodeCursor(position)

/** Creates the verification store on PostgreSQL. */
export function createVerificationStore(
  db: NodePgDatabase,
  database: PostgresDatabase,
  dependencies: {
    readonly audit: AuditChain | null
    readonly statusEvents: boolean
    readonly randomBytes: (size: number) => Uint8Array
  },
): VerificationStore {
  const { audit, statusEvents, randomBytes } = dependencies
  const reads = prepareVerificationReads(db)

  async function findExisting(key: SubmissionKey): Promise<ExistingSubmission | null> {
    const { appId, externalVerificationId } = key
    const [row] = await reads.findExisting.execute({ appId, externalVerificationId })
    if (row === undefined) return null
    if (row.userId !== key.userId) return { kind: 'conflict' }
    const result = { status: row.resultStatus, verificationId: row.verificationId, message: row.resultMessage }
    return { kind: 'replayed', result, payloadDigest: row.payloadDigest }
  }

  /** Throws {@link taken} when another submission has the key or the verification id. */
  async function insert(on: Queryable, { key, verification, payloadDigest, recordedAt, outcomes }: Recording) {
    const [locked] = await lockStatus.rows(on, { userId: key.userId, now: recordedAt })
    const previous = locked?.status ?? 'UNVERIFIED'
    const { next, result } = outcomes[previous]
    // The clock of the process that changed the status before may be ahead. A status never goes back in time.
    const statusAt = next === previous ? recordedAt : later(recordedAt, locked?.since)
    if (result.verificationId !== verification.verificationId) throw new StorageError('ARGUMENT_INVALID')
    const ssnToken = verification.ssn?.token ?? null
    const erasableKey = newErasableKey(randomBytes)
    const mac = erasableMac(erasableKey, { payloadDigest, ssnToken })
    const keyed = {
      ...key,
      verificationId: verification.verificationId,
      payloadDigest: asBuffer(payloadDigest),
      resultStatus: result.status,
      resultMessage: result.message,
    }
    if ((await insertKey.count(on, keyed)) === 0) throw taken
    // After the key: a submission that is known is a replay also now.
    await refuseDuringErasure(on, key.userId, recordedAt)
    const [written] = await insertVerification.rows(on, {
      ...keyed,
      externalVerificationProvider: verification.externalVerificationProvider,
      schemaVersion: verification.schemaVersion,
      decision: verification.decision,
      decisionedAt: verification.decisionedAt,
      recordedAt,
      countryCode: verification.countryCode,
      ssnToken,
      ssnState: verification.ssn?.state ?? null,
      documentNumberToken: verification.documentNumber?.token ?? null,
      ...listColumns(verification),
      sealedDetails: asBuffer(verification.sealedDetails),
      erasableKey: asBuffer(erasableKey),
      erasableMac: asBuffer(mac),
      jobIds: verification.photoJobs.map(({ photoJobId }) => photoJobId),
      jobSides: verification.photoJobs.map(({ side }) => side),
      jobUrls: verification.photoJobs.map(({ sealedUrl }) => asBuffer(sealedUrl)),
      previous,
      next,
      moves: next !== previous,
      statusAt,
      publishes: statusEvents && next !== previous,
    })
    if (written?.inserted !== 1) throw taken
    await audit?.append(on, key.userId, () =>
      verificationEvent(audit.seal, {
        key,
        verification: { ...verification, ssnState: verification.ssn?.state ?? null },
        erasableMac: mac,
        recordedAt,
        result,
        statusLog: { previous, next, at: statusAt },
      }),
    )
    return { kind: 'recorded', result } as const
  }

  async function record(recording: Recording) {
    try {
      return await database.transaction((on) => insert(on, recording))
    } catch (error) {
      if (error !== taken) throw error
    }
    const existing = await database.run(() => findExisting(recording.key))
    // Keys are never removed, so a submission with this key would be found. Another key has this verification id.
    if (existing === null) throw taken
    return existing
  }

  return {
    findExisting: (key) => database.run(() => findExisting(key)),
    record,
    findReferencedTokens: (tokens) =>
      database.run(async () => {
        const rows = await reads.findReferencedTokens.execute({ tokens: tokens.map(({ token }) => token) })
        return referencedTokens(tokens, rows)
      }),
    findKycStatus: (userId) =>
      database.run(
        async () => (await reads.findStatus.execute({ userId: checkedId(userId) }))[0]?.status ?? 'UNVERIFIED',
      ),
    findVerification: ({ appId, userId }, verificationId) =>
      database.run(async () => {
        const [row] = await reads.findVerification.execute({ appId, userId, verificationId })
        return row === undefined ? null : verificationRecordOf(row)
      }),
    listVerifications: ({ appId, userId }, { limit, cursor }) =>
      database.run(async () => {
        const before = decodeCursor(cursor)
        const rows = await reads.listVerifications.execute({ appId, userId, before, limit: checkedLimit(limit) + 1 })
        const { items, nextCursor } = pageOf(rows, limit, cursorOf)
        return { items: items.map(verificationRecordOf), cursors: items.map(cursorOf), nextCursor }
      }),
  }
}
