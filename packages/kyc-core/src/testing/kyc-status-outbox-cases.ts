import type { KycStatusOutbox } from '../ingestion/status-outbox.js'
import type { VerificationStore } from '../ingestion/verification-store.js'
import { assertEqual, type ConformanceCase } from './conformance-case.js'
import { createRecordedSubmission, keyOf, USERS, uuid } from './verification-submissions.js'

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface KycStatusOutboxHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<{
    readonly outbox: KycStatusOutbox
    /** Store whose `record` makes the changes. */
    readonly verifications: VerificationStore
    close(): Promise<void>
  }>
}

const { maria, jonas } = USERS
const list = async (outbox: KycStatusOutbox, limit = 100) =>
  (await outbox.listUnpublished({ limit })).map(({ verificationId }) => verificationId)

/**
 * Lists the rules of the {@link KycStatusOutbox} port as cases for any test runner.
 *
 * @example
 * ```ts
 * import { kycStatusOutboxCases } from '@kyc-relay/kyc-core/testing'
 *
 * type Harness = Parameters<(typeof kycStatusOutboxCases)[number]['run']>[0]
 * async function check(newHarness: () => Harness): Promise<void> {
 *   for (const each of kycStatusOutboxCases) await each.run(newHarness())
 * }
 * ```
 */
export const kycStatusOutboxCases: readonly ConformanceCase<KycStatusOutboxHarness>[] = [
  {
    id: 'KO-01',
    name: 'MUST list each change with its user, app, verification, statuses and the time of recording',
    async run(harness) {
      const { outbox, verifications, close } = await harness.open()
      assertEqual(await outbox.listUnpublished({ limit: 10 }), [], 'an empty outbox')
      const submission = createRecordedSubmission(keyOf(maria, 'a'), 7, { countryCode: 'NO' })
      await verifications.record(submission)
      const of = { changeId: uuid(1007), source: 'SUBMISSION', verificationId: uuid(1007) }
      const change = { ...maria, ...of, previous: 'UNVERIFIED', next: 'PASS_INTERNATIONAL' }
      const expected = [{ ...change, changedAt: submission.recordedAt }]
      assertEqual(await outbox.listUnpublished({ limit: 10 }), expected, 'listUnpublished')
      await close()
    },
  },
  {
    id: 'KO-02',
    name: 'MUST list nothing for a declined submission, a replay, or a submission of a user who was verified before',
    async run(harness) {
      const { outbox, verifications, close } = await harness.open()
      const first = createRecordedSubmission(keyOf(maria, 'b'), 2)
      await verifications.record(createRecordedSubmission(keyOf(maria, 'a'), 1, { decision: 'FAILED' }))
      await verifications.record(first)
      await verifications.record(first)
      await verifications.record(createRecordedSubmission(keyOf(maria, 'c'), 3))
      await verifications.record(createRecordedSubmission(keyOf({ ...maria, appId: uuid(2) }, 'd'), 4))
      assertEqual(await list(outbox), [uuid(1002)], 'listUnpublished')
      await close()
    },
  },
  {
    id: 'KO-03',
    name: 'MUST list the oldest first, at most `limit`',
    async run(harness) {
      const { outbox, verifications, close } = await harness.open()
      const numbers = [5, 3, 9, 1]
      for (const number of numbers) {
        const user = { ...maria, userId: uuid(100 + number) }
        await verifications.record(createRecordedSubmission(keyOf(user, `id-${number}`), number))
      }
      assertEqual(await list(outbox), [1001, 1003, 1005, 1009].map(uuid), 'listUnpublished')
      assertEqual(await list(outbox, 2), [1001, 1003].map(uuid), 'listUnpublished with limit 2')
      await close()
    },
  },
  {
    id: 'KO-04',
    name: 'MUST mark the change of this user and verification as published and no other, once and again',
    async run(harness) {
      const { outbox, verifications, close } = await harness.open()
      await verifications.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      await verifications.record(createRecordedSubmission(keyOf(jonas, 'b'), 2))
      const change = { userId: maria.userId, changeId: uuid(1001) }
      await outbox.markPublished({ ...change, userId: jonas.userId })
      await outbox.markPublished({ ...change, changeId: uuid(999) })
      assertEqual(await list(outbox), [1001, 1002].map(uuid), 'listUnpublished after marking what is not there')
      await outbox.markPublished(change)
      await outbox.markPublished(change)
      assertEqual(await list(outbox), [uuid(1002)], 'listUnpublished after markPublished')
      await close()
    },
  },
  {
    id: 'KO-05',
    name: 'MUST keep what is published and what is not when it is closed',
    async run(harness) {
      const first = await harness.open()
      await first.verifications.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      await first.verifications.record(createRecordedSubmission(keyOf(jonas, 'b'), 2))
      await first.outbox.markPublished({ userId: maria.userId, changeId: uuid(1001) })
      await first.close()
      const second = await harness.open()
      assertEqual(await list(second.outbox), [uuid(1002)], 'listUnpublished of a new handle')
      await second.close()
    },
  },
  {
    id: 'KO-06',
    name: 'MUST list one change when 20 PASSED submissions of one user race over two handles',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          handles[(n % 2) as 0 | 1].verifications.record(createRecordedSubmission(keyOf(maria, `id-${n}`), n)),
        ),
      )
      const changes = await handles[1].outbox.listUnpublished({ limit: 100 })
      assertEqual(
        changes.map(({ previous, next }) => [previous, next]),
        [['UNVERIFIED', 'PASS']],
        'listUnpublished',
      )
      for (const each of handles) await each.close()
    },
  },
]
