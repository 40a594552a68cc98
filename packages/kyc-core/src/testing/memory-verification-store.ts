import type {
  ExistingSubmission,
  SubmissionKey,
  VerificationRecord,
  VerificationStore,
} from '../ingestion/verification-store.js'
import { KycError } from '../kyc-error.js'
import type { KycStatus } from '../status/kyc-status.js'
import type { AppUser, OwnedToken } from '../tokenization/pii-vault.js'
import type { MemoryPhotoJob } from './memory-photo-job-store.js'

interface Row {
  readonly record: VerificationRecord
  readonly payloadDigest: Uint8Array
}

/** Data that several stores in memory share. Create one for each test. */
export interface MemoryVerificationData {
  readonly rows: Row[]
  readonly statuses: Map<string, KycStatus>
  readonly photoJobs: MemoryPhotoJob[]
  /** Ids of verifications whose change of the status is published. */
  readonly published: Set<string>
}

/**
 * Creates empty data for {@link createMemoryVerificationStore}.
 *
 * @example
 * ```ts
 * import { createMemoryVerificationData, createMemoryVerificationStore } from '@kyc-relay/kyc-core/testing'
 *
 * // Two handles on the same rows, as two processes have them.
 * const data = createMemoryVerificationData()
 * const [one, other] = [createMemoryVerificationStore(data), createMemoryVerificationStore(data)]
 * ```
 */
export function createMemoryVerificationData(): MemoryVerificationData {
  return { rows: [], statuses: new Map(), photoJobs: [], published: new Set() }
}

/**
 * Creates a {@link VerificationStore} in memory for unit tests. It passes every case of {@link verificationStoreCases}
 * except durability. Photo jobs go to {@link createMemoryPhotoJobStore} over the same data.
 *
 * @example
 * ```ts
 * import { createMemoryVerificationStore } from '@kyc-relay/kyc-core/testing'
 *
 * await createMemoryVerificationStore().findKycStatus('0198c0de-0000-7000-8000-00000000b001') // 'UNVERIFIED'
 * ```
 */
export function createMemoryVerificationStore(data = createMemoryVerificationData()): VerificationStore {
  const { rows, statuses } = data

  function findExisting(key: SubmissionKey): ExistingSubmission | null {
    const row = rows.find(
      ({ record }) => record.appId === key.appId && record.externalVerificationId === key.externalVerificationId,
    )
    if (!row) return null
    if (row.record.userId !== key.userId) return { kind: 'conflict' }
    return { kind: 'replayed', result: row.record.result, payloadDigest: row.payloadDigest }
  }

  const isOwn = (owner: AppUser, record: VerificationRecord): boolean =>
    record.appId === owner.appId && record.userId === owner.userId

  return {
    async findExisting(key) {
      return findExisting(key)
    },
    async record({ key, verification, payloadDigest, recordedAt, outcomes }) {
      const existing = findExisting(key)
      if (existing) return existing
      if (rows.some(({ record }) => record.verificationId === verification.verificationId)) {
        throw new KycError('STORE_UNAVAILABLE')
      }
      const previous = statuses.get(key.userId) ?? 'UNVERIFIED'
      const { next, result } = outcomes[previous]
      const { photoJobs, ...fields } = structuredClone(verification)
      const statusLog = { previous, next, at: recordedAt }
      rows.push({ record: { ...fields, ...key, recordedAt, result, statusLog }, payloadDigest: payloadDigest.slice() })
      statuses.set(key.userId, next)
      const at = recordedAt.getTime()
      for (const job of photoJobs) {
        data.photoJobs.push({
          ...job,
          owner: { appId: key.appId, userId: key.userId },
          verificationId: verification.verificationId,
          state: 'PENDING',
          attemptsMade: 0,
          createdAtMs: at,
          claimableAtMs: at,
          token: null,
          lastFailure: null,
          endedAtMs: null,
        })
      }
      return { kind: 'recorded', result }
    },
    async findReferencedTokens(tokens) {
      const refersTo = ({ token, ...owner }: OwnedToken) =>
        rows.some(
          ({ record }) =>
            isOwn(owner, record) && (record.ssn?.token === token || record.documentNumber?.token === token),
        )
      return new Set(tokens.filter(refersTo).map(({ token }) => token))
    },
    async findKycStatus(userId) {
      return statuses.get(userId) ?? 'UNVERIFIED'
    },
    async findVerification(owner, verificationId) {
      const row = rows.find(({ record }) => isOwn(owner, record) && record.verificationId === verificationId)
      return row?.record ?? null
    },
    async listVerifications(owner, { limit, cursor }) {
      if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw new KycError('CURSOR_INVALID')
      const end = cursor === undefined ? rows.length : Number(cursor)
      const found = rows
        .slice(0, end)
        .map(({ record }, position) => ({ record, position }))
        .filter(({ record }) => isOwn(owner, record))
        .reverse()
      const items = found.slice(0, limit)
      const cursors = items.map(({ position }) => String(position))
      return {
        items: items.map(({ record }) => record),
        cursors,
        nextCursor: found.length > limit ? (cursors.at(-1) ?? null) : null,
      }
    },
  }
}
