import { deepEqual, equal } from 'node:assert/strict'
import type { AppDirectory } from '../../apps/app-directory.js'
import { race, storageCase, type StorageCase } from '../storage-case.js'
import { appId, at, createApps, hashOf, key, otherApp, waitingKey, type AppDirectoryHandle } from './sample-apps.js'

const reason = 'The partner lost it.'

/** Lists accepted versions, newest first, with the test second from which each signs. */
async function acceptedAt(apps: AppDirectory, seconds: number): Promise<readonly (readonly [number, number])[]> {
  const keys = await apps.listApiKeys([appId], at(seconds))
  return keys.map(({ version, signsFrom }) => [version, (signsFrom.getTime() - at(0).getTime()) / 1_000])
}

/** Creates three versions: 3 waits, 2 signs, 1 is retired a day later. */
async function createThreeVersions(apps: AppDirectory): Promise<void> {
  await createApps(apps)
  await apps.addApiKey(waitingKey(2, at(1)))
  await apps.activateApiKey({ appId, now: at(2), retireOldAt: at(86_402) })
  await apps.addApiKey(waitingKey(3, at(3)))
}

/** Cases about discarding, revoking and issuing keys. */
export const keyChangeCases: readonly StorageCase<AppDirectoryHandle>[] = [
  storageCase('AD-33', 'MUST NOT reuse a version in any state', async ({ apps }) => {
    equal(await apps.findNewestApiKeyVersion(appId), 0)
    await createApps(apps)
    equal(await apps.findNewestApiKeyVersion(appId), 1)
    await apps.addApiKey(waitingKey(2, at(1)))
    await apps.discardApiKey({ appId, now: at(2) })
    equal(await apps.findNewestApiKeyVersion(appId), 2)
    const taken = waitingKey(2, at(3), { hash: hashOf('again') })
    equal(await apps.addApiKey(taken), 'version_taken')
    equal(await apps.issueApiKey({ key: taken, reason }), 'version_taken')
    equal(await apps.findApiKey(taken.hash, at(3)), null)
    equal(await apps.addApiKey(waitingKey(3, at(3))), 'added')
    equal(await apps.findNewestApiKeyVersion(otherApp), 1)
  }),
  storageCase('AD-34', 'MUST discard a waiting version at once and permanently', async ({ apps }, { other }) => {
    await createApps(apps)
    equal(await apps.discardApiKey({ appId, now: at(1) }), false)
    await apps.addApiKey(waitingKey(2, at(1)))
    await apps.addApiKey(waitingKey(2, at(1), { appId: otherApp }))
    equal(await apps.discardApiKey({ appId, now: at(2) }), true)
    equal(await apps.discardApiKey({ appId, now: at(2) }), false)
    equal(await other.apps.findApiKey(waitingKey(2, at(1)).hash, at(2)), null)
    equal(await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(10) }), false)
    deepEqual(await acceptedAt(apps, 2), [[1, 0]])
    deepEqual(await acceptedAt(apps, 100_000), [[1, 0]])
    equal((await apps.listApiKeys([otherApp], at(2))).length, 2)
  }),
  storageCase(
    'AD-35',
    'MUST end older versions with the one that signs, so that none signs again',
    async (one, two) => {
      const { apps } = one
      await createApps(apps)
      await apps.addApiKey(waitingKey(2, at(1)))
      await apps.activateApiKey({ appId, now: at(2), retireOldAt: at(86_402) })
      deepEqual(await acceptedAt(apps, 3), [
        [2, 2],
        [1, 0],
      ])
      equal(await apps.revokeApiKey({ appId, version: 2, now: at(4), reason: null }), true)
      equal(await apps.revokeApiKey({ appId, version: 2, now: at(4), reason: null }), false)
      deepEqual(await acceptedAt(two.other.apps, 4), [])
      for (const version of [1, 2]) equal(await apps.findApiKey(key(version).hash, at(4)), null)
      deepEqual(await apps.listApiKeys([otherApp], at(4)), [key(1, { appId: otherApp })])
    },
  ),
  storageCase('AD-36', 'MUST let a waiting version sign once the signing one is revoked', async ({ apps }) => {
    await createThreeVersions(apps)
    equal(await apps.revokeApiKey({ appId, version: 2, now: at(4), reason }), true)
    deepEqual(await acceptedAt(apps, 4), [[3, 4]])
    equal(await apps.activateApiKey({ appId, now: at(5), retireOldAt: at(6) }), false)
  }),
  storageCase('AD-37', 'MUST NOT change other versions when one that does not sign is revoked', async ({ apps }) => {
    await createThreeVersions(apps)
    equal(await apps.revokeApiKey({ appId, version: 1, now: at(4), reason }), true)
    deepEqual(await acceptedAt(apps, 4), [
      [3, 86_400],
      [2, 2],
    ])
    equal(await apps.revokeApiKey({ appId, version: 3, now: at(5), reason }), true)
    deepEqual(await acceptedAt(apps, 5), [[2, 2]])
    for (const version of [0, 1, 3, 4]) {
      equal(await apps.revokeApiKey({ appId, version, now: at(6), reason }), false)
    }
    deepEqual(await acceptedAt(apps, 100_000), [[2, 2]])
  }),
  storageCase(
    'AD-38',
    'MUST issue a key that waits while another one signs, and signs at once otherwise',
    async (one) => {
      const { apps } = one
      await createThreeVersions(apps)
      const fourth = waitingKey(4, at(4))
      deepEqual(await apps.issueApiKey({ key: fourth, reason }), { signsFrom: fourth.signsFrom })
      deepEqual(await acceptedAt(apps, 4), [
        [4, 86_400],
        [2, 2],
        [1, 0],
      ])
      equal(await apps.findApiKey(key(3).hash, at(4)), null)
      await apps.revokeApiKey({ appId, version: 4, now: at(5), reason })
      await apps.revokeApiKey({ appId, version: 2, now: at(5), reason })
      deepEqual(await acceptedAt(apps, 5), [])
      deepEqual(await apps.issueApiKey({ key: waitingKey(5, at(6)), reason }), { signsFrom: at(6) })
      deepEqual(await acceptedAt(apps, 6), [[5, 6]])
      deepEqual(await apps.findApiKey(key(5).hash, at(6)), { appId, version: 5 })
    },
  ),
  storageCase('AD-39', 'MUST revoke a version once when 50 ask at once', async ({ apps }, { other }) => {
    await createThreeVersions(apps)
    const answers = await race(apps, other.apps, (handle) =>
      handle.revokeApiKey({ appId, version: 2, now: at(4), reason }),
    )
    equal(answers.filter(Boolean).length, 1)
    deepEqual(await acceptedAt(apps, 4), [[3, 4]])
  }),
]
