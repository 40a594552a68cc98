import type { KycStatusOutbox } from '../ingestion/status-outbox.js'
import { createMemoryVerificationData } from './memory-verification-store.js'

/**
 * Creates a {@link KycStatusOutbox} in memory, for tests: over the data of {@link createMemoryVerificationStore}, whose
 * `record` makes the changes.
 */
export function createMemoryKycStatusOutbox(data = createMemoryVerificationData()): KycStatusOutbox {
  return {
    async listUnpublished({ limit }) {
      return data.rows
        .filter(({ record: { verificationId, statusLog } }) => {
          return statusLog.previous !== statusLog.next && !data.published.has(verificationId)
        })
        .map(({ record: { userId, appId, verificationId, statusLog } }) => {
          const { previous, next, at: changedAt } = statusLog
          const change = { changeId: verificationId, source: 'SUBMISSION', userId, appId, verificationId } as const
          return { ...change, previous, next, changedAt }
        })
        .sort((one, other) => one.changedAt.getTime() - other.changedAt.getTime())
        .slice(0, limit)
    },
    async markPublished({ userId, changeId: verificationId }) {
      const isOne = data.rows.some(({ record }) => record.userId === userId && record.verificationId === verificationId)
      if (isOne) data.published.add(verificationId)
    },
  }
}
