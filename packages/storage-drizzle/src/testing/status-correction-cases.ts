import { deepEqual, equal } from 'node:assert/strict'
import type { KycStatusOutbox, VerificationStore } from '@kyc-relay/kyc-core'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import { startOfTests, submission, uuid } from './sample-records.js'
import { reopenCase, storageCase, type StorageCase } from './storage-case.js'

/** Handle for the cases of `KycStatusCorrections`: the port, and the stores of its rows, with `kycStatusEvents`. */
export interface StatusCorrectionsHandle {
  readonly corrections: KycStatusCorrections
  readonly verifications: VerificationStore
  readonly statusOutbox: KycStatusOutbox
}

const userId = uuid('user')
const later = (minutes: number) => new Date(startOfTests.getTime() + minutes * 60_000)

function correction(name: string, minutes: number) {
  const by = { actor: 'operator:Ada', reason: `reason ${name}` }
  return { correctionId: uuid(`correction ${name}`), userId, at: later(minutes), ...by }
}

const revoke = { ...correction('one', 1), expected: 'PASS', next: 'UNVERIFIED' } as const
const recorded = { ...correction('one', 1), previous: 'PASS', next: 'UNVERIFIED' } as const

const recordAt = ({ verifications }: StatusCorrectionsHandle, name: string, minutes = 0) =>
  verifications.record({ ...submission(name), recordedAt: later(minutes) })

/**
 * Lists the rules of the `KycStatusCorrections` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { statusCorrectionCases } from '@kyc-relay/storage-drizzle/testing'
 *
 * type Harness = Parameters<(typeof statusCorrectionCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness) {
 *   for (const { run } of statusCorrectionCases) await run(newHarness())
 * }
 * ```
 */
export const statusCorrectionCases: readonly StorageCase<StatusCorrectionsHandle>[] = [
  storageCase('SC-01', 'MUST set the status that was expected, and return the correction', async (one, { other }) => {
    await recordAt(one, 'first')
    deepEqual(await one.corrections.correctKycStatus(revoke), { kind: 'corrected', correction: recorded })
    equal(await other.verifications.findKycStatus(userId), 'UNVERIFIED')
    const again = { ...correction('two', 2), expected: 'UNVERIFIED', next: 'PASS_INTERNATIONAL' } as const
    equal((await other.corrections.correctKycStatus(again)).kind, 'corrected')
    equal(await one.verifications.findKycStatus(userId), 'PASS_INTERNATIONAL')
  }),
  storageCase('SC-02', 'MUST write nothing and return the status when it is not the expected one', async (one) => {
    await recordAt(one, 'first')
    const wrong = { ...revoke, expected: 'PASS_INTERNATIONAL' } as const
    deepEqual(await one.corrections.correctKycStatus(wrong), { kind: 'changed', current: 'PASS' })
    equal(await one.verifications.findKycStatus(userId), 'PASS')
    deepEqual(await one.corrections.listCorrections(userId), [])
  }),
  storageCase('SC-03', 'MUST list the corrections of this user, oldest first, with actor and reason', async (one) => {
    await recordAt(one, 'first')
    await one.corrections.correctKycStatus(revoke)
    const back = { ...correction('two', 2), expected: 'UNVERIFIED', next: 'PASS' } as const
    await one.corrections.correctKycStatus(back)
    const theirs = { ...correction('three', 3), userId: uuid('another'), expected: 'UNVERIFIED', next: 'PASS' } as const
    await one.corrections.correctKycStatus(theirs)
    const { expected: previous, ...second } = back
    deepEqual(await one.corrections.listCorrections(userId), [recorded, { ...second, previous }])
  }),
  storageCase('SC-04', 'MUST let a later submission follow the table from the corrected status', async (one) => {
    await recordAt(one, 'first')
    await one.corrections.correctKycStatus(revoke)
    const second = await recordAt(one, 'second', 2)
    equal(second.kind === 'recorded' ? second.result.status : second.kind, 'VERIFIED')
    const { appId } = submission('second').key
    const record = await one.verifications.findVerification({ appId, userId }, uuid('verification second'))
    deepEqual([record?.statusLog.previous, record?.statusLog.next], ['UNVERIFIED', 'PASS'])
    equal(await one.verifications.findKycStatus(userId), 'PASS')
  }),
  storageCase('SC-05', 'MUST leave the answer of a replay and the log of a verification as they were', async (one) => {
    const first = await recordAt(one, 'first')
    await one.corrections.correctKycStatus(revoke)
    const replay = await recordAt(one, 'first', 3)
    deepEqual(
      [replay.kind, replay.kind === 'replayed' ? replay.result : null],
      ['replayed', first.kind === 'recorded' ? first.result : undefined],
    )
    equal(await one.verifications.findKycStatus(userId), 'UNVERIFIED')
    const { appId } = submission('first').key
    const record = await one.verifications.findVerification({ appId, userId }, uuid('verification first'))
    deepEqual([record?.statusLog.previous, record?.statusLog.next], ['UNVERIFIED', 'PASS'])
  }),
  storageCase('SC-06', 'MUST correct a user without a verification', async (one) => {
    const given = { ...revoke, expected: 'UNVERIFIED', next: 'PASS' } as const
    equal((await one.corrections.correctKycStatus(given)).kind, 'corrected')
    equal(await one.verifications.findKycStatus(userId), 'PASS')
    const first = await recordAt(one, 'first', 2)
    equal(first.kind === 'recorded' ? first.result.status : first.kind, 'ALREADY_VERIFIED')
    equal(await one.verifications.findKycStatus(userId), 'PASS')
  }),
  storageCase('SC-07', 'MUST correct once when 10 corrections with one expectation race', async (one, { other }) => {
    await recordAt(one, 'first')
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const at = { ...correction(`race ${index}`, 1), expected: 'PASS', next: 'UNVERIFIED' } as const
        return (index % 2 === 0 ? one : other).corrections.correctKycStatus(at)
      }),
    )
    equal(answers.filter(({ kind }) => kind === 'corrected').length, 1)
    equal((await one.corrections.listCorrections(userId)).length, 1)
  }),
  storageCase('SC-08', 'MUST hand the change to the outbox as one of an operator, once', async (one) => {
    await recordAt(one, 'first')
    await one.statusOutbox.markPublished({ userId, changeId: uuid('verification first') })
    await one.corrections.correctKycStatus(revoke)
    const change = { changeId: revoke.correctionId, userId, source: 'OPERATOR', appId: null, verificationId: null }
    const moved = { previous: 'PASS', next: 'UNVERIFIED', changedAt: revoke.at }
    deepEqual(await one.statusOutbox.listUnpublished({ limit: 10 }), [{ ...change, ...moved }])
    await one.statusOutbox.markPublished({ userId: uuid('another'), changeId: revoke.correctionId })
    equal((await one.statusOutbox.listUnpublished({ limit: 10 })).length, 1)
    await one.statusOutbox.markPublished({ userId, changeId: revoke.correctionId })
    deepEqual(await one.statusOutbox.listUnpublished({ limit: 10 }), [])
  }),
  reopenCase(
    'SC-09',
    'MUST keep a correction when it is closed',
    async (before) => {
      await recordAt(before, 'first')
      await before.corrections.correctKycStatus(revoke)
    },
    async (after) => {
      equal(await after.verifications.findKycStatus(userId), 'UNVERIFIED')
      deepEqual(await after.corrections.listCorrections(userId), [recorded])
    },
  ),
]
