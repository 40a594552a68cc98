import { assertEqual, assertThat, everythingIn, type ConformanceCase } from './conformance-case.js'
import type { VerificationStoreHarness } from './verification-store-cases.js'
import { createRecordedSubmission, keyOf, ssnToken, USERS, uuid } from './verification-submissions.js'

const RACERS = 20
const { maria, jonas, other } = USERS

/** Cases about idempotency and atomicity. */
export const idempotencyCases: readonly ConformanceCase<VerificationStoreHarness>[] = [
  {
    id: 'VS-01',
    name: 'MUST answer null for a key under which nothing is recorded',
    async run(harness) {
      const { store, close } = await harness.open()
      assertEqual(await store.findExisting(keyOf(maria, 'a')), null, 'an unknown key has no existing')
      await close()
    },
  },
  {
    id: 'VS-02',
    name: 'MUST answer a recorded key with the original result and payload digest',
    async run(harness) {
      const { store, close } = await harness.open()
      const submission = createRecordedSubmission(keyOf(maria, 'a'), 1)
      const result = submission.outcomes.UNVERIFIED.result
      assertEqual(await store.record(submission), { kind: 'recorded', result }, 'the outcome is answered')
      const expected = { kind: 'replayed', result, payloadDigest: submission.payloadDigest }
      assertEqual(await store.findExisting(submission.key), expected, 'the original is found')
      await close()
    },
  },
  {
    id: 'VS-03',
    name: 'MUST answer a second record under one key with the original and write nothing',
    async run(harness) {
      const { store, close } = await harness.open()
      const first = createRecordedSubmission(keyOf(maria, 'a'), 1, { decision: 'FAILED' })
      const second = createRecordedSubmission(keyOf(maria, 'a'), 2)
      await store.record(first)
      const existing = await store.record(second)
      const expected = {
        kind: 'replayed',
        result: first.outcomes.UNVERIFIED.result,
        payloadDigest: first.payloadDigest,
      }
      assertEqual(existing, expected, 'the second call gets the first result')
      assertEqual(await store.findKycStatus(maria.userId), 'UNVERIFIED', 'the status is not touched')
      assertEqual(await store.findVerification(maria, uuid(1002)), null, 'there is no second verification')
      const page = await store.listVerifications(maria, { limit: 10 })
      assertThat(page.items.length === 1, 'one verification is listed')
      const referenced = await store.findReferencedTokens([1, 2].map((n) => ({ ...maria, token: ssnToken(n) })))
      assertEqual([...referenced], [ssnToken(1)], "the second submission's tokens are not referred to")
      await close()
    },
  },
  {
    id: 'VS-04',
    name: 'MUST answer another user of the app with a conflict without details',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      assertEqual(await store.findExisting(keyOf(jonas, 'a')), { kind: 'conflict' }, 'findExisting reveals nothing')
      const recorded = await store.record(createRecordedSubmission(keyOf(jonas, 'a'), 2))
      assertEqual(recorded, { kind: 'conflict' }, 'record reveals nothing')
      assertEqual(await store.findKycStatus(jonas.userId), 'UNVERIFIED', 'nothing was written for the other user')
      assertThat((await store.listVerifications(jonas, { limit: 10 })).items.length === 0, 'nothing is listed')
      await close()
    },
  },
  {
    id: 'VS-05',
    name: 'MUST separate the ids of different apps',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      assertEqual(await store.findExisting(keyOf(other, 'a')), null, 'the id is free in the other app')
      const recorded = await store.record(createRecordedSubmission(keyOf(other, 'a'), 2))
      assertThat(recorded.kind === 'recorded', 'the other app records under the same id')
      await close()
    },
  },
  {
    id: 'VS-06',
    name: 'MUST compare ids exactly: case, spaces around quotes, percent signs and length count',
    async run(harness) {
      const { store, close } = await harness.open()
      const ids = ['a', 'A', 'a%', "a'", 'a"', 'a_', 'a\\', 'x'.repeat(255), `${'x'.repeat(254)}y`]
      for (const [index, id] of ids.entries()) {
        const recorded = await store.record(createRecordedSubmission(keyOf(maria, id), index))
        assertThat(recorded.kind === 'recorded', `id number ${index} is a new one`)
      }
      for (const [index, id] of ids.entries()) {
        const existing = await store.findExisting(keyOf(maria, id))
        assertThat(
          existing?.kind === 'replayed' && existing.result.verificationId === uuid(1000 + index),
          'its own result',
        )
      }
      await close()
    },
  },
  {
    id: 'VS-07',
    name: 'MUST let exactly one of 20 concurrent records of one key win, over two handles, and give the others its result',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()]
      const submissions = Array.from({ length: RACERS }, (_, index) =>
        createRecordedSubmission(keyOf(maria, 'a'), index),
      )
      const answers = await Promise.all(
        submissions.map((submission, index) => (handles[index % 2] as (typeof handles)[0]).store.record(submission)),
      )
      const winners = answers.filter((answer) => answer.kind === 'recorded')
      assertThat(winners.length === 1, `exactly one records (${winners.length} did)`)
      const ids = new Set(answers.map((answer) => (answer.kind === 'conflict' ? null : answer.result.verificationId)))
      assertThat(ids.size === 1 && !ids.has(null), 'all get one result')
      const [handle] = handles
      const page = await handle?.store.listVerifications(maria, { limit: 50 })
      assertThat(page?.items.length === 1, 'one verification exists')
      for (const each of handles) await each.close()
    },
  },
  {
    id: 'VS-08',
    name: 'MUST give one of two users who race for one id the record and the other a conflict',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      const answers = await Promise.all([
        handles[0].store.record(createRecordedSubmission(keyOf(maria, 'a'), 1)),
        handles[1].store.record(createRecordedSubmission(keyOf(jonas, 'a'), 2)),
      ])
      assertEqual(answers.map((answer) => answer.kind).sort(), ['conflict', 'recorded'], 'one each')
      const loser = answers[0].kind === 'conflict' ? maria : jonas
      assertEqual(await handles[0].store.findKycStatus(loser.userId), 'UNVERIFIED', 'nothing was written for the loser')
      for (const each of handles) await each.close()
    },
  },
  {
    id: 'VS-09',
    name: 'MUST write nothing, and repeat no value in the error, when a record fails half-way',
    async run(harness) {
      const { store, close } = await harness.open()
      const first = createRecordedSubmission(keyOf(maria, 'first'), 1, { decision: 'FAILED' })
      await store.record(first)
      // The id of the verification is taken, so the second write cannot complete.
      const sound = createRecordedSubmission(keyOf(maria, 'canary-external-id'), 2)
      const { verificationId } = first.verification
      const { outcomes } = createRecordedSubmission(sound.key, 1)
      const broken = { ...sound, verification: { ...sound.verification, verificationId }, outcomes }
      const error: unknown = await store.record(broken).then(
        () => null,
        (reason: unknown) => reason,
      )
      assertThat(error !== null, 'a verification id that is taken is an error')
      assertEqual(await store.findExisting(broken.key), null, 'the key is still free')
      assertEqual(await store.findKycStatus(maria.userId), 'UNVERIFIED', 'the status is not touched')
      assertThat((await store.listVerifications(maria, { limit: 10 })).items.length === 1, 'nothing was added')
      assertThat(
        (await store.findReferencedTokens([{ ...maria, token: ssnToken(2) }])).size === 0,
        'no token is referred to',
      )
      assertThat(!everythingIn(error).includes('canary-external-id'), 'the error repeats no value')
      const again = await store.record(sound)
      assertThat(again.kind === 'recorded', 'the same key records once the fault is gone')
      await close()
    },
  },
  {
    id: 'VS-10',
    name: 'MUST keep all data after all handles were closed',
    async run(harness) {
      const first = await harness.open()
      const submission = createRecordedSubmission(keyOf(maria, 'a'), 1)
      await first.store.record(submission)
      const before = await first.store.findVerification(maria, uuid(1001))
      await first.close()
      const second = await harness.open()
      assertThat((await second.store.findExisting(submission.key))?.kind === 'replayed', 'the replay is known')
      assertEqual(await second.store.findVerification(maria, uuid(1001)), before, 'the verification is the same')
      assertEqual(await second.store.findKycStatus(maria.userId), 'PASS', 'the status is the same')
      await second.close()
    },
  },
  {
    id: 'VS-11',
    name: 'MUST answer a repeated call of record with the original, also while the first call is running',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      // A client that lost the response retries, maybe before the first request ends. The case repeats the race several
      // times.
      for (let race = 0; race < 100; race++) {
        const submission = createRecordedSubmission(keyOf({ ...maria, userId: uuid(50 + race) }, 'a' + race), race)
        const again = Array.from({ length: 8 }, (_, index) => handles[index % 2 === 0 ? 0 : 1].store.record(submission))
        const answers = await Promise.all(again)
        const winners = answers.filter((answer) => answer.kind === 'recorded')
        assertThat(winners.length === 1, `exactly one records (${winners.length} did)`)
        const ids = answers.map((answer) => (answer.kind === 'conflict' ? null : answer.result.verificationId))
        assertThat(
          ids.every((id) => id === uuid(1000 + race)),
          'all get the one result',
        )
      }
      for (const each of handles) await each.close()
    },
  },
]
