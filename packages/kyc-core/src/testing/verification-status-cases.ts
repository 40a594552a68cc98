import type { KycStatus } from '../status/kyc-status.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import type { VerificationStoreHarness } from './verification-store-cases.js'
import { createRecordedSubmission, keyOf, USERS, uuid } from './verification-submissions.js'

const { maria, jonas } = USERS

/** Cases about the KYC status of a user and its log. */
export const statusCases: readonly ConformanceCase<VerificationStoreHarness>[] = [
  {
    id: 'VS-20',
    name: 'MUST answer UNVERIFIED for an unknown user',
    async run(harness) {
      const { store, close } = await harness.open()
      assertEqual(await store.findKycStatus(maria.userId), 'UNVERIFIED', 'the status')
      await close()
    },
  },
  {
    id: 'VS-21',
    name: 'MUST apply the outcome for the current status, and log previous and next with the time of recording',
    async run(harness) {
      const { store, close } = await harness.open()
      const rows: readonly [string, 'PASSED' | 'FAILED', string, KycStatus, KycStatus, string][] = [
        ['a', 'FAILED', 'US', 'UNVERIFIED', 'UNVERIFIED', 'DECLINED'],
        ['b', 'PASSED', 'NO', 'UNVERIFIED', 'PASS_INTERNATIONAL', 'VERIFIED'],
        ['c', 'PASSED', 'US', 'PASS_INTERNATIONAL', 'PASS_INTERNATIONAL', 'ALREADY_VERIFIED'],
        ['d', 'FAILED', 'US', 'PASS_INTERNATIONAL', 'PASS_INTERNATIONAL', 'DECLINED'],
      ]
      for (const [index, [id, decision, countryCode, previous, next, status]] of rows.entries()) {
        const submission = createRecordedSubmission(keyOf(maria, id), index, { decision, countryCode })
        const answer = await store.record(submission)
        assertThat(answer.kind === 'recorded' && answer.result.status === status, `submission ${id} is ${status}`)
        assertEqual(await store.findKycStatus(maria.userId), next, `the status after submission ${id}`)
        const record = await store.findVerification(maria, uuid(1000 + index))
        assertEqual(record?.statusLog, { previous, next, at: submission.recordedAt }, `the log of submission ${id}`)
      }
      await close()
    },
  },
  {
    id: 'VS-22',
    name: 'MUST separate the statuses of different users',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      assertEqual(await store.findKycStatus(jonas.userId), 'UNVERIFIED', "the other user's status")
      const answer = await store.record(createRecordedSubmission(keyOf(jonas, 'b'), 2, { countryCode: 'NO' }))
      assertThat(answer.kind === 'recorded' && answer.result.status === 'VERIFIED', 'the other user is verified now')
      assertEqual(await store.findKycStatus(maria.userId), 'PASS', 'the first status is kept')
      assertEqual(await store.findKycStatus(jonas.userId), 'PASS_INTERNATIONAL', 'the second is its own')
      await close()
    },
  },
  {
    id: 'VS-23',
    name: 'MUST change the status once when 20 different PASSED submissions of one user race over two handles',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const countryCode = index % 2 === 0 ? 'US' : 'NO'
          const submission = createRecordedSubmission(keyOf(maria, `id-${index}`), index, { countryCode })
          return (index % 3 === 0 ? handles[0] : handles[1]).store.record(submission)
        }),
      )
      assertThat(
        answers.every((answer) => answer.kind === 'recorded'),
        'every submission is recorded',
      )
      const page = await handles[0].store.listVerifications(maria, { limit: 50 })
      const moves = page.items.filter(({ statusLog }) => statusLog.previous !== statusLog.next)
      assertThat(page.items.length === 20 && moves.length === 1, `one change of status (${moves.length} were logged)`)
      assertEqual(moves[0]?.result.status, 'VERIFIED', 'the one that changed it')
      assertEqual(await handles[1].store.findKycStatus(maria.userId), moves[0]?.statusLog.next, 'the status')
      const preserved = page.items.filter(({ result }) => result.status === 'ALREADY_VERIFIED')
      assertThat(preserved.length === 19, 'all others preserved it')
      for (const each of handles) await each.close()
    },
  },
  {
    id: 'VS-24',
    name: 'MUST have one status for a user of several apps, in any order of submissions',
    async run(harness) {
      const { store, close } = await harness.open()
      const [one, another] = [uuid(1), uuid(2)]
      const orders = [
        { userId: uuid(21), first: one, second: another },
        { userId: uuid(22), first: another, second: one },
      ]
      for (const [index, { userId, first, second }] of orders.entries()) {
        const steps: readonly [string, 'PASSED' | 'FAILED', KycStatus, string][] = [
          [first, 'FAILED', 'UNVERIFIED', 'DECLINED'],
          [second, 'PASSED', 'PASS', 'VERIFIED'],
          [first, 'PASSED', 'PASS', 'ALREADY_VERIFIED'],
        ]
        for (const [step, [appId, decision, next, status]] of steps.entries()) {
          const number = 10 * index + step
          const key = keyOf({ appId, userId }, `id-${number}`)
          const answer = await store.record(createRecordedSubmission(key, number, { decision }))
          assertThat(answer.kind === 'recorded' && answer.result.status === status, `submission ${number} is ${status}`)
          assertEqual(await store.findKycStatus(userId), next, `the status after submission ${number}`)
        }
      }
      await close()
    },
  },
  {
    id: 'VS-25',
    name: 'MUST log the status changes in order when a FAILED and a PASSED submission of a new user race, 200 times',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      const users = Array.from({ length: 200 }, (_, index) => ({ ...maria, userId: uuid(5_000 + index) }))
      const race = (user: AppUser, index: number) => {
        const decisions = index % 2 === 0 ? (['FAILED', 'PASSED'] as const) : (['PASSED', 'FAILED'] as const)
        return decisions.map((decision, place) => {
          const number = 2 * index + place
          const submission = createRecordedSubmission(keyOf(user, `id-${number}`), number, { decision })
          return handles[place as 0 | 1].store.record(submission)
        })
      }
      // A store may have few connections, and a limit to the time that a call waits for one.
      for (let first = 0; first < users.length; first += 25)
        await Promise.all(users.slice(first, first + 25).flatMap((user, index) => race(user, first + index)))
      for (const [index, user] of users.entries()) {
        const { items } = await handles[0].store.listVerifications(user, { limit: 10 })
        assertThat(items.length === 2, `both submissions of user ${index} are recorded`)
        let present: KycStatus = 'UNVERIFIED'
        for (const { statusLog } of items.toReversed()) {
          assertEqual(statusLog.previous, present, `the previous status in the log of user ${index}`)
          present = statusLog.next
        }
        assertEqual(present, 'PASS', `the last status in the log of user ${index}`)
        assertEqual(await handles[1].store.findKycStatus(user.userId), 'PASS', `the status of user ${index}`)
      }
      for (const each of handles) await each.close()
    },
  },
]
