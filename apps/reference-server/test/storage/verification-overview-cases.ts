import { deepEqual, equal } from 'node:assert/strict'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { LatestVerification, VerificationOverview } from '../../src/storage/verification-overview.js'
import { reopenCase, storageCase, type StorageCase } from '../../../../packages/storage-drizzle/test/storage-cases.js'
import { startOfTests, submission, uuid } from '../../../../packages/storage-drizzle/test/storage-cases.js'

/** Handle for the cases of `VerificationOverview`: the port, and the store of its rows. */
export interface VerificationOverviewHandle {
  readonly overview: VerificationOverview
  readonly verifications: VerificationStore
}

const names = ['one', 'two', 'three', 'four', 'five']
const newestFirst = names
  .map((name) => uuid(`verification ${name}`))
  .sort()
  .reverse()
const idsOf = (rows: readonly LatestVerification[]) => rows.map(({ verificationId }) => verificationId)

/** Creates one verification for each of several apps and users. */
async function recordAll({ verifications }: VerificationOverviewHandle): Promise<void> {
  for (const name of names) {
    await verifications.record(submission(name, { key: { appId: uuid(`app ${name}`), userId: uuid(name) } }))
  }
}

/**
 * Lists the rules of the `VerificationOverview` port as cases for any test runner. Each case needs a fresh harness.
 */
export const verificationOverviewCases: readonly StorageCase<VerificationOverviewHandle>[] = [
  storageCase('VO-01', 'MUST be empty before the first verification', async ({ overview }) => {
    deepEqual(await overview.listLatest({ limit: 10 }), [])
  }),
  storageCase('VO-02', 'MUST list verifications of every app and user by descending id', async (one, { other }) => {
    await recordAll(one)
    deepEqual(idsOf(await one.overview.listLatest({ limit: 200 })), newestFirst)
    deepEqual(idsOf(await other.overview.listLatest({ limit: 200 })), newestFirst)
  }),
  storageCase('VO-03', 'MUST return each verification as recorded, without sealed data', async (one) => {
    const declined = submission('one')
    const { verificationId } = declined.verification
    await one.verifications.record({
      ...declined,
      verification: { ...declined.verification, decision: 'FAILED' },
      outcomes: {
        ...declined.outcomes,
        UNVERIFIED: { next: 'UNVERIFIED', result: { status: 'DECLINED', verificationId, message: 'Declined.' } },
      },
    })
    const { appId, userId } = declined.key
    deepEqual(await one.overview.listLatest({ limit: 1 }), [
      { verificationId, appId, userId, decision: 'FAILED', resultStatus: 'DECLINED', recordedAt: startOfTests },
    ])
  }),
  storageCase('VO-04', 'MUST page by the id of the last row, without gap or repetition', async (one) => {
    await recordAll(one)
    const seen: string[] = []
    for (let page = 0; page < 3; page++) {
      const before = seen.at(-1)
      seen.push(...idsOf(await one.overview.listLatest({ limit: 2, ...(before === undefined ? {} : { before }) })))
    }
    deepEqual(seen, newestFirst)
    deepEqual(await one.overview.listLatest({ limit: 2, before: newestFirst.at(-1) ?? '' }), [])
  }),
  storageCase('VO-05', 'MUST continue after an unknown id', async (one) => {
    await recordAll(one)
    deepEqual(await one.overview.listLatest({ limit: 10, before: '00000000-0000-7000-8000-000000000000' }), [])
    const highest = 'ffffffff-ffff-7fff-8fff-ffffffffffff'
    deepEqual(idsOf(await one.overview.listLatest({ limit: 10, before: highest })), newestFirst)
  }),
  storageCase('VO-07', 'MUST list the vault references of the newest and the oldest verifications', async (one) => {
    deepEqual(await one.overview.listVaultReferences({ of: 'newest', limit: 10 }), [])
    await recordAll(one)
    const oldestFirst = [...newestFirst].reverse()
    const byId = new Map(names.map((name) => [uuid(`verification ${name}`), name]))
    for (const [of, ids] of [
      ['newest', newestFirst],
      ['oldest', oldestFirst],
    ] as const) {
      const found = await one.overview.listVaultReferences({ of, limit: 2 })
      const users = found.map(({ userId }) => userId).sort()
      deepEqual(
        users,
        ids
          .slice(0, 2)
          .map((id) => uuid(byId.get(id) ?? ''))
          .sort(),
      )
      for (const { appId, userId, tokens } of found) {
        const name = names.find((each) => uuid(each) === userId) ?? ''
        const { ssn, documentNumber } = submission(name).verification
        equal(appId, uuid(`app ${name}`))
        deepEqual([...tokens].sort(), [ssn?.token, documentNumber?.token].filter((token) => token !== undefined).sort())
      }
    }
  }),
  storageCase('VO-08', 'MUST list a verification without tokens with only its data key', async (one) => {
    const without = submission('one')
    const verification = { ...without.verification, ssn: null, documentNumber: null }
    await one.verifications.record({ ...without, verification })
    const { appId, userId } = without.key
    deepEqual(await one.overview.listVaultReferences({ of: 'newest', limit: 1 }), [{ appId, userId, tokens: [] }])
  }),
  storageCase(
    'VO-09',
    'MUST find app and user of a verification by its id, and nobody of an unknown id',
    async (one) => {
      await recordAll(one)
      for (const name of names) {
        const owner = { appId: uuid(`app ${name}`), userId: uuid(name) }
        deepEqual(await one.overview.findOwner(uuid(`verification ${name}`)), owner)
      }
      equal(await one.overview.findOwner('00000000-0000-7000-8000-000000000000'), null)
      equal(await one.overview.findOwner(''), null)
    },
  ),
  storageCase('VO-10', 'MUST page the verifications of one app by ascending id, as filtered', async (one) => {
    await recordAll(one)
    const appId = uuid('app of many')
    for (const name of ['a', 'b', 'c', 'd']) {
      await one.verifications.record(
        submission(`m ${name}`, { key: { appId, userId: uuid(name === 'd' ? 'd' : 'a') } }),
      )
    }
    const ids = ['a', 'b', 'c', 'd'].map((name) => uuid(`verification m ${name}`)).sort()
    const seen: string[] = []
    for (let page = 0; page < 3; page++) {
      const after = seen.at(-1)
      seen.push(...idsOf(await one.overview.listOfApp({ appId, limit: 2, ...(after === undefined ? {} : { after }) })))
    }
    deepEqual(seen, ids)
    const filtered = async (filter: Partial<Parameters<VerificationOverview['listOfApp']>[0]>) =>
      idsOf(await one.overview.listOfApp({ appId, limit: 10, ...filter }))
    deepEqual(await filtered({ userId: uuid('d') }), [uuid('verification m d')])
    deepEqual(await filtered({ externalVerificationId: 'ext-m b' }), [uuid('verification m b')])
    deepEqual(await filtered({ externalVerificationId: 'ext-one' }), [])
    // The first of user a, and the only one of user d.
    deepEqual((await filtered({ resultStatus: 'VERIFIED' })).length, 2)
    deepEqual(await filtered({ resultStatus: 'DECLINED' }), [])
  }),
  reopenCase('VO-06', 'MUST list what was recorded before it was closed', recordAll, async ({ overview }) => {
    equal((await overview.listLatest({ limit: 10 })).length, names.length)
  }),
]
