import type { AppUser } from '../tokenization/pii-vault.js'
import type { VerificationRecord } from '../ingestion/verification-store.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import type { VerificationStoreHarness } from './verification-store-cases.js'
import { createRecordedSubmission, documentToken, keyOf, ssnToken, USERS, uuid } from './verification-submissions.js'

const { maria, jonas, other } = USERS

/** Cases about reading verifications. */
export const readingCases: readonly ConformanceCase<VerificationStoreHarness>[] = [
  {
    id: 'VS-30',
    name: 'MUST return every field of a verification as recorded, with checks and decline codes in order',
    async run(harness) {
      const { store, close } = await harness.open()
      const submission = createRecordedSubmission(keyOf(maria, '~!"#$%&\'()*+,-./:;<=>?@[]^_`{|}'), 7)
      const verification = {
        ...submission.verification,
        externalVerificationProvider: 'Überprüfung 検証',
        sections: [{ section: 'database' as const, verificationId: `é${'漢'.repeat(254)}`, status: 'FAILED' as const }],
        sealedDetails: new Uint8Array(140_000).map((_, index) => index % 256),
      }
      await store.record({ ...submission, verification })
      const { photoJobs: _jobs, ...fields } = verification
      const expected: VerificationRecord = {
        ...fields,
        ...submission.key,
        recordedAt: submission.recordedAt,
        result: submission.outcomes.UNVERIFIED.result,
        statusLog: { previous: 'UNVERIFIED', next: 'PASS', at: submission.recordedAt },
      }
      assertEqual(await store.findVerification(maria, verification.verificationId), expected, 'the record')
      const page = await store.listVerifications(maria, { limit: 1 })
      assertEqual(page.items, [expected], 'the listed record')
      await close()
    },
  },
  {
    id: 'VS-31',
    name: 'MUST return a verification without tokens, checks, decline codes and photos',
    async run(harness) {
      const { store, close } = await harness.open()
      const submission = createRecordedSubmission(keyOf(maria, 'a'), 1)
      await store.record({
        ...submission,
        verification: {
          ...submission.verification,
          ssn: null,
          documentNumber: null,
          checks: [],
          declineCodes: [],
          photoJobs: [],
        },
      })
      const record = await store.findVerification(maria, uuid(1001))
      const { ssn, documentNumber, checks, declineCodes } = record as VerificationRecord
      const expected = { ssn: null, documentNumber: null, checks: [], declineCodes: [] }
      assertEqual({ ssn, documentNumber, checks, declineCodes }, expected, 'nothing is made up')
      await close()
    },
  },
  {
    id: 'VS-32',
    name: 'MUST answer null for an unknown verification and for one of another app or user',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      assertEqual(await store.findVerification(maria, uuid(9999)), null, 'an unknown id')
      assertEqual(await store.findVerification(maria, "' OR 1=1 --"), null, 'not an id at all')
      assertEqual(await store.findVerification(jonas, uuid(1001)), null, 'another user of the app')
      assertEqual(await store.findVerification({ ...maria, appId: other.appId }, uuid(1001)), null, 'another app')
      await close()
    },
  },
  {
    id: 'VS-33',
    name: 'MUST page newest first without gap or repetition, also while submissions arrive',
    async run(harness) {
      const { store, close } = await harness.open()
      for (let index = 0; index < 7; index += 1) {
        await store.record(createRecordedSubmission(keyOf(maria, `id-${index}`), index))
        await store.record(createRecordedSubmission(keyOf(jonas, `other-${index}`), 100 + index))
      }
      const seen: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page = await store.listVerifications(maria, cursor === undefined ? { limit: 3 } : { limit: 3, cursor })
        assertThat(page.items.length <= 3, 'a page holds at most `limit` items')
        seen.push(...page.items.map((record) => record.externalVerificationId))
        cursor = page.nextCursor ?? undefined
        pages += 1
        if (pages === 1) await store.record(createRecordedSubmission(keyOf(maria, 'late'), 50))
      } while (cursor !== undefined && pages < 10)
      assertEqual(
        seen,
        [6, 5, 4, 3, 2, 1, 0].map((index) => `id-${index}`),
        'the order over all pages',
      )
      await close()
    },
  },
  {
    id: 'VS-34',
    name: 'MUST end a list exactly on a page boundary with a null cursor',
    async run(harness) {
      const { store, close } = await harness.open()
      assertEqual(
        await store.listVerifications(maria, { limit: 5 }),
        { items: [], cursors: [], nextCursor: null },
        'an empty list',
      )
      for (let index = 0; index < 2; index += 1)
        await store.record(createRecordedSubmission(keyOf(maria, `${index}`), index))
      const page = await store.listVerifications(maria, { limit: 2 })
      assertThat(page.items.length === 2 && page.nextCursor === null, 'the last page says so')
      await close()
    },
  },
  {
    id: 'VS-35',
    name: "MUST NOT show another owner's verifications for any cursor",
    async run(harness) {
      const { store, close } = await harness.open()
      for (let index = 0; index < 4; index += 1) {
        await store.record(createRecordedSubmission(keyOf(maria, `m-${index}`), index))
        await store.record(createRecordedSubmission(keyOf(jonas, `j-${index}`), 100 + index))
      }
      const foreign = (await store.listVerifications(jonas, { limit: 2 })).nextCursor
      assertThat(foreign !== null, 'there is a next page')
      const page = await store.listVerifications(maria, { limit: 10, cursor: foreign })
      assertThat(
        page.items.every((record) => record.userId === maria.userId && record.appId === maria.appId),
        "only the owner's own rows",
      )
      await close()
    },
  },
  {
    id: 'VS-36',
    name: 'MUST name exactly the tokens that verifications refer to',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      await store.record(createRecordedSubmission(keyOf(other, 'b'), 2))
      const tokensOf = (owner: AppUser, n: number) =>
        [ssnToken(n), documentToken(n)].map((token) => ({ ...owner, token }))
      const kept = [...tokensOf(maria, 1), ...tokensOf(other, 2)]
      const referenced = await store.findReferencedTokens([...kept, ...tokensOf(maria, 3)])
      assertEqual(new Set(referenced), new Set(kept.map(({ token }) => token)), 'SSN and document tokens of every app')
      const swapped = [...tokensOf(other, 1), ...tokensOf({ ...maria, appId: other.appId }, 1), ...tokensOf(maria, 2)]
      assertEqual((await store.findReferencedTokens(swapped)).size, 0, "another owner's are not referred to")
      assertEqual((await store.findReferencedTokens([])).size, 0, 'none asked, none answered')
      await close()
    },
  },
  {
    id: 'VS-37',
    name: 'MUST answer for a thousand tokens at once',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      const asked = Array.from({ length: 1000 }, (_, index) => ({ ...maria, token: ssnToken(index) }))
      assertEqual([...(await store.findReferencedTokens(asked))], [ssnToken(1)], 'the one that is referred to')
      await close()
    },
  },
  {
    id: 'VS-38',
    name: 'MUST give every item the cursor of what follows it, also when newer submissions arrive',
    async run(harness) {
      const { store, close } = await harness.open()
      for (let index = 0; index < 5; index += 1) {
        await store.record(createRecordedSubmission(keyOf(maria, `id-${index}`), index))
      }
      const { cursors } = await store.listVerifications(maria, { limit: 5 })
      await store.record(createRecordedSubmission(keyOf(maria, 'late'), 50))
      for (const [index, cursor] of cursors.entries()) {
        const { items } = await store.listVerifications(maria, { limit: 5, cursor })
        assertEqual(
          items.map((record) => record.externalVerificationId),
          [4, 3, 2, 1, 0].slice(index + 1).map((number) => `id-${number}`),
          `what follows item ${index}`,
        )
      }
      assertEqual(cursors.length, 5, 'one cursor for each item')
      await close()
    },
  },
  {
    id: 'VS-39',
    name: 'MUST refuse a text that is no cursor with CURSOR_INVALID',
    async run(harness) {
      const { store, close } = await harness.open()
      await store.record(createRecordedSubmission(keyOf(maria, 'a'), 1))
      for (const cursor of ['', 'x', '-1', "' OR 1=1 --", '1'.repeat(5000)]) {
        const code = await store.listVerifications(maria, { limit: 5, cursor }).then(
          () => 'none',
          (error: unknown) => (error as { readonly code?: unknown }).code,
        )
        assertEqual(code, 'CURSOR_INVALID', 'the code of the error')
      }
      await close()
    },
  },
]
