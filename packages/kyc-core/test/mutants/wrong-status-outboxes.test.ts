import { describe, expect, it } from 'vitest'
import type { KycStatusOutbox, VerificationStore } from '@kyc-relay/kyc-core'
import { createMemoryKycStatusOutbox } from '../../src/testing/memory-kyc-status-outbox.js'
import type { KycStatusChange } from '@kyc-relay/kyc-core/internal'
import {
  createMemoryVerificationData,
  createMemoryVerificationStore,
  kycStatusOutboxCases,
} from '@kyc-relay/kyc-core/testing'
import type { MemoryVerificationData } from '../../src/testing/memory-verification-store.js'

interface Handle {
  readonly outbox: KycStatusOutbox
  readonly verifications: VerificationStore
  close(): Promise<void>
}
type Wrong = (handle: Handle, data: MemoryVerificationData) => Partial<Handle>

const list =
  (
    change: (
      all: readonly KycStatusChange[],
      limit: number,
      data: MemoryVerificationData,
    ) => readonly KycStatusChange[],
  ): Wrong =>
  ({ outbox }, data) => ({
    outbox: {
      ...outbox,
      listUnpublished: async ({ limit }) => change(await outbox.listUnpublished({ limit: 200 }), limit, data),
    },
  })

/** One broken promise each, and the only case that notices. */
const WRONG: readonly (readonly [what: string, caughtBy: string, wrong: Wrong])[] = [
  [
    'takes the time of the decision for the time of recording',
    'KO-01',
    list((all, limit, { rows }) =>
      all.slice(0, limit).map((change) => {
        const row = rows.find(({ record }) => record.verificationId === change.verificationId)
        return { ...change, changedAt: row?.record.decisionedAt ?? change.changedAt }
      }),
    ),
  ],
  [
    'lists declined submissions',
    'KO-02',
    list((all, limit, { rows, published }) => {
      const declined = rows.filter(
        ({ record }) => record.decision === 'FAILED' && !published.has(record.verificationId),
      )
      const changes = declined.map(({ record: { userId, appId, verificationId, statusLog } }) => {
        const { previous, next, at: changedAt } = statusLog
        const change = { changeId: verificationId, source: 'SUBMISSION', userId, appId, verificationId } as const
        return { ...change, previous, next, changedAt }
      })
      return [...changes, ...all].slice(0, limit)
    }),
  ],
  ['lists without an order', 'KO-03', list((all, limit) => all.toReversed().slice(0, limit).toReversed())],
  [
    'marks by the verification alone',
    'KO-04',
    ({ outbox }, { rows }) => ({
      outbox: {
        ...outbox,
        async markPublished({ changeId }) {
          const row = rows.find(({ record }) => record.verificationId === changeId)
          await outbox.markPublished({ changeId, userId: row?.record.userId ?? '' })
        },
      },
    }),
  ],
  [
    'forgets on closing what was published',
    'KO-05',
    (_handle, { published }) => ({ close: () => Promise.resolve(published.clear()) }),
  ],
  [
    'reads the status, then writes the change',
    'KO-06',
    ({ verifications }, { statuses }) => ({
      verifications: {
        ...verifications,
        async record(submission) {
          const before = statuses.get(submission.key.userId) ?? 'UNVERIFIED'
          await Promise.resolve()
          statuses.set(submission.key.userId, before)
          return verifications.record(submission)
        },
      },
    }),
  ],
]

async function failingCases(wrong: Wrong): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of kycStatusOutboxCases) {
    const data = createMemoryVerificationData()
    const outbox = createMemoryKycStatusOutbox(data)
    const right = { outbox, verifications: createMemoryVerificationStore(data), close: async () => {} }
    await run({ open: async () => ({ ...right, ...wrong(right, data) }) }).catch(() => failing.push(id))
  }
  return failing
}

describe('the cases of the outbox', () => {
  it.each(WRONG)('catch an outbox that %s, by %s alone', async (_what, caughtBy, wrong) => {
    expect(await failingCases(wrong)).toEqual([caughtBy])
  })

  it('catch one wrong outbox each', () => {
    const caught = new Set(WRONG.map(([, caughtBy]) => caughtBy))
    expect([...caught].sort()).toEqual(kycStatusOutboxCases.map(({ id }) => id))
  })
})
