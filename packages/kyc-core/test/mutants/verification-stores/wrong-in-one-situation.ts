import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { MemoryVerificationData } from '../../../src/testing/memory-verification-store.js'

export type Wrong = (store: VerificationStore, data: MemoryVerificationData) => VerificationStore
export type WrongStore = readonly [what: string, caughtBy: string, wrong: Wrong]
type Recorded = Parameters<VerificationStore['record']>[0]

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const rowOf = ({ rows }: MemoryVerificationData, { key }: Recorded) =>
  rows.find(({ record }) => record.appId === key.appId && record.externalVerificationId === key.externalVerificationId)

/** Stores whose mistake shows in one situation only. */
export const wrongInOneSituation: readonly WrongStore[] = [
  [
    'cannot look into an empty table',
    'VS-01',
    (store, { rows }) => ({
      ...store,
      findExisting: (key) => (rows.length === 0 ? Promise.reject(new Error('no rows')) : store.findExisting(key)),
    }),
  ],
  [
    'finds an existing submission without its digest',
    'VS-02',
    (store) => ({
      ...store,
      async findExisting(key) {
        const existing = await store.findExisting(key)
        return existing?.kind === 'replayed' ? { ...existing, payloadDigest: new Uint8Array(32) } : existing
      },
    }),
  ],
  [
    'answers a replay with the digest of the repetition',
    'VS-03',
    (store) => ({
      ...store,
      async record(submission) {
        const answer = await store.record(submission)
        return answer.kind === 'replayed' ? { ...answer, payloadDigest: submission.payloadDigest } : answer
      },
    }),
  ],
  [
    'gives those who lost a race their own results',
    'VS-07',
    (store, data) => ({
      ...store,
      async record(submission) {
        const wasFree = rowOf(data, submission) === undefined
        await tick()
        const answer = await store.record(submission)
        const hasLost = wasFree && answer.kind === 'replayed'
        return hasLost ? { ...answer, result: submission.outcomes.UNVERIFIED.result } : answer
      },
    }),
  ],
  [
    'tells another user who lost a race of a replay',
    'VS-08',
    (store, data) => ({
      ...store,
      async record(submission) {
        const wasFree = rowOf(data, submission) === undefined
        await tick()
        const answer = await store.record(submission)
        const [row, { payloadDigest }] = [rowOf(data, submission), submission]
        const hasLost = wasFree && answer.kind === 'conflict' && row !== undefined
        return hasLost ? { kind: 'replayed', result: row.record.result, payloadDigest } : answer
      },
    }),
  ],
  [
    'knows no status before the first verification',
    'VS-20',
    (store, { rows }) => ({
      ...store,
      findKycStatus: (userId) =>
        rows.length === 0 ? Promise.reject(new Error('no rows')) : store.findKycStatus(userId),
    }),
  ],
  [
    'logs PASS as the status before where it was PASS_INTERNATIONAL',
    'VS-21',
    (store) => ({
      ...store,
      async findVerification(owner, id) {
        const found = await store.findVerification(owner, id)
        const isInternational = found?.statusLog.previous === 'PASS_INTERNATIONAL'
        return isInternational ? { ...found, statusLog: { ...found.statusLog, previous: 'PASS' } } : found
      },
    }),
  ],
  [
    'gives every user of the app PASS_INTERNATIONAL when one gets it',
    'VS-22',
    (store, { statuses, rows }) => ({
      ...store,
      async record(submission) {
        const answer = await store.record(submission)
        const users = rows
          .filter(({ record }) => record.appId === submission.key.appId)
          .map(({ record }) => record.userId)
        const isInternational = statuses.get(submission.key.userId) === 'PASS_INTERNATIONAL'
        if (isInternational) for (const userId of users) statuses.set(userId, 'PASS_INTERNATIONAL')
        return answer
      },
    }),
  ],
  [
    'lets several racing PASSED submissions change the status',
    'VS-23',
    (store, data) => ({
      ...store,
      async record(submission) {
        const { userId } = submission.key
        const before = data.statuses.get(userId) ?? 'UNVERIFIED'
        await tick()
        const isPassed = submission.outcomes.UNVERIFIED.next !== 'UNVERIFIED'
        if (isPassed && rowOf(data, submission) === undefined) data.statuses.set(userId, before)
        return store.record(submission)
      },
    }),
  ],
]
