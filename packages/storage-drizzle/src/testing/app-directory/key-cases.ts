import { deepEqual, equal } from 'node:assert/strict'
import { uuid } from '../sample-records.js'
import { race, refused, storageCase, type StorageCase } from '../storage-case.js'
import { appId, at, createApps, hashOf, key, otherApp, waitingKey, type AppDirectoryHandle } from './sample-apps.js'

/** Cases about apps and the versions of their keys. */
export const keyCases: readonly StorageCase<AppDirectoryHandle>[] = [
  storageCase('AD-01', 'MUST find an app and its first key by their exact id and hash', async ({ apps }) => {
    equal(await apps.findApp(appId), null)
    await createApps(apps)
    deepEqual(await apps.findApp(appId), { appId, name: 'Example Ünited' })
    deepEqual(await apps.findApiKey(key(1).hash, at(0)), { appId, version: 1 })
    equal(await apps.findApp(uuid('nobody')), null)
    equal(await apps.findApiKey(hashOf('another'), at(0)), null)
    equal(await apps.findApiKey(key(1).hash.subarray(0, 31), at(0)), null)
  }),
  storageCase('AD-02', 'MUST write nothing for an app whose first key is refused', async ({ apps }) => {
    await createApps(apps)
    const third = uuid('third')
    const taken = key(1, { appId: third, hash: key(1).hash })
    await refused(apps.createApp({ appId: third, name: 'Third', firstKey: taken }))
    equal(await apps.findApp(third), null)
    deepEqual(await apps.findApiKey(key(1).hash, at(0)), { appId, version: 1 })
  }),
  storageCase('AD-03', 'MUST refuse a second app of one id and keep the first', async ({ apps }) => {
    await createApps(apps)
    const again = key(1, { hash: hashOf('again') })
    await refused(apps.createApp({ appId, name: 'Again', firstKey: again }))
    deepEqual(await apps.findApp(appId), { appId, name: 'Example Ünited' })
    equal(await apps.findApiKey(again.hash, at(0)), null)
  }),
  storageCase(
    'AD-04',
    'MUST return complete keys, newest version first, only of the requested apps',
    async ({ apps }) => {
      await createApps(apps)
      const second = waitingKey(2, at(1), { sealed: Uint8Array.from({ length: 256 }, (_, byte) => byte) })
      equal(await apps.addApiKey(second), 'added')
      deepEqual(await apps.listApiKeys([appId], at(0)), [second, key(1)])
      const both = await apps.listApiKeys([appId, otherApp], at(0))
      deepEqual(
        both.map(({ version }) => version),
        [2, 1, 1],
      )
      deepEqual(await apps.listApiKeys([], at(0)), [])
      deepEqual(await apps.listApiKeys([uuid('nobody')], at(0)), [])
    },
  ),
  storageCase('AD-05', 'MUST page through the keys of all apps by app and version, each once', async ({ apps }) => {
    deepEqual(await apps.pageApiKeys({ now: at(0), limit: 10 }), [])
    await createApps(apps)
    await apps.addApiKey(waitingKey(2, at(1)))
    const expected = [key(1), waitingKey(2, at(1)), key(1, { appId: otherApp })]
    const all = [appId, otherApp].sort().flatMap((app) => expected.filter((one) => one.appId === app))
    deepEqual(await apps.pageApiKeys({ now: at(2), limit: 10 }), all)
    for (const [index, after] of all.entries()) {
      deepEqual(await apps.pageApiKeys({ now: at(2), after, limit: 1 }), all.slice(index + 1, index + 2))
    }
  }),
  storageCase('AD-06', 'MUST let one version of an app wait for its activation', async ({ apps }) => {
    await createApps(apps)
    equal(await apps.addApiKey(waitingKey(2, at(1))), 'added')
    equal(await apps.addApiKey(waitingKey(3, at(2))), 'rotation_pending')
    equal(await apps.addApiKey(waitingKey(2, at(2), { appId: otherApp })), 'added')
    const versions = (await apps.listApiKeys([appId], at(2))).map(({ version }) => version)
    deepEqual(versions, [2, 1])
    equal(await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(10) }), true)
    equal(await apps.addApiKey(waitingKey(3, at(4))), 'added')
  }),
  storageCase('AD-07', 'MUST add one key when 50 rotations of an app begin at once', async ({ apps }, { other }) => {
    await createApps(apps)
    const answers = await race(apps, other.apps, (handle, racer) =>
      handle.addApiKey(waitingKey(2, at(1), { hash: hashOf(`racer ${racer}`) })),
    )
    equal(answers.filter((answer) => answer === 'added').length, 1)
    equal((await other.apps.listApiKeys([appId], at(2))).length, 2)
  }),
  storageCase(
    'AD-08',
    'MUST let the waiting version sign and retire the older ones on activation',
    async ({ apps }) => {
      await createApps(apps)
      equal(await apps.activateApiKey({ appId, now: at(1), retireOldAt: at(10) }), false)
      await apps.addApiKey(waitingKey(2, at(1)))
      equal(await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(10) }), true)
      const keys = await apps.listApiKeys([appId], at(3))
      deepEqual(
        keys.map(({ version, signsFrom, retiredAt }) => ({ version, signsFrom, retiredAt })),
        [
          { version: 2, signsFrom: at(3), retiredAt: null },
          { version: 1, signsFrom: at(0), retiredAt: at(10) },
        ],
      )
      deepEqual(await apps.listApiKeys([otherApp], at(3)), [key(1, { appId: otherApp })])
    },
  ),
  storageCase('AD-09', 'MUST activate a waiting version once when 50 ask at once', async ({ apps }, { other }) => {
    await createApps(apps)
    await apps.addApiKey(waitingKey(2, at(1)))
    const answers = await race(apps, other.apps, (handle) =>
      handle.activateApiKey({ appId, now: at(3), retireOldAt: at(10) }),
    )
    equal(answers.filter(Boolean).length, 1)
  }),
  storageCase('AD-10', 'MUST accept a retired key before the time of its retirement, and not at it', async (one) => {
    const { apps } = one
    await createApps(apps)
    await apps.addApiKey(waitingKey(2, at(1)))
    await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(10) })
    deepEqual(await apps.findApiKey(key(1).hash, at(9.999)), { appId, version: 1 })
    equal(await apps.findApiKey(key(1).hash, at(10)), null)
    equal((await apps.listApiKeys([appId], at(9.999))).length, 2)
    equal((await apps.listApiKeys([appId], at(10))).length, 1)
  }),
  storageCase('AD-11', 'MUST keep an earlier retirement when a later activation retires again', async ({ apps }) => {
    await createApps(apps)
    await apps.addApiKey(waitingKey(2, at(1)))
    await apps.activateApiKey({ appId, now: at(2), retireOldAt: at(10) })
    await apps.addApiKey(waitingKey(3, at(3)))
    await apps.activateApiKey({ appId, now: at(4), retireOldAt: at(100) })
    const retired = (await apps.listApiKeys([appId], at(5))).map(({ retiredAt }) => retiredAt)
    deepEqual(retired, [null, at(100), at(10)])
  }),
  storageCase('AD-12', 'MUST NOT put a stored value into an error', async ({ apps }) => {
    await createApps(apps)
    const canary = 'Canary & Sons'
    const hash = Buffer.from(key(1).hash)
    const hidden = [canary, hash.toString('hex'), hash.toString('base64'), appId]
    await refused(apps.createApp({ appId, name: canary, firstKey: key(1) }), { hidden })
    await refused(apps.addApiKey(waitingKey(2, at(1), { hash: key(1).hash })), { hidden })
  }),
  storageCase('AD-13', 'MUST NOT list a key from the time of its retirement', async ({ apps }) => {
    await createApps(apps)
    await apps.addApiKey(waitingKey(2, at(1)))
    await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(4) })
    equal((await apps.pageApiKeys({ now: at(3.999), limit: 10 })).length, 3)
    equal((await apps.pageApiKeys({ now: at(4), limit: 10 })).length, 2)
  }),
  storageCase('AD-14', 'MUST refuse a page of no keys', async ({ apps }) => {
    for (const limit of [0, -1, 1.5])
      await refused(apps.pageApiKeys({ now: at(0), limit }), { code: 'ARGUMENT_INVALID' })
  }),
  storageCase('AD-42', 'MUST refuse a time that is none: retired keys might count as accepted', async ({ apps }) => {
    for (const now of [new Date(NaN), undefined])
      await refused(apps.pageApiKeys({ now: now as Date, limit: 10 }), { code: 'ARGUMENT_INVALID' })
  }),
  storageCase(
    'AD-15',
    'MUST replace a sealed key only if it is unchanged since the caller read it',
    async ({ apps }) => {
      await createApps(apps)
      const [fresh, other] = [Uint8Array.from([7, 7]), Uint8Array.from([8])]
      const request = { appId, version: 1, former: key(1).sealed, fresh, now: at(1) }
      equal(await apps.replaceSealedApiKey({ ...request, former: other }), false)
      equal(await apps.replaceSealedApiKey({ ...request, version: 2 }), false)
      equal(await apps.replaceSealedApiKey({ ...request, appId: uuid('nobody') }), false)
      deepEqual(await apps.listApiKeys([appId], at(1)), [key(1)])
    },
  ),
  storageCase('AD-16', 'MUST NOT change other fields of a key that is sealed again', async ({ apps }) => {
    await createApps(apps)
    const fresh = Uint8Array.from([7, 7])
    equal(await apps.replaceSealedApiKey({ appId, version: 1, former: key(1).sealed, fresh, now: at(1) }), true)
    deepEqual(await apps.listApiKeys([appId], at(1)), [key(1, { sealed: fresh })])
    deepEqual(await apps.listApiKeys([otherApp], at(1)), [key(1, { appId: otherApp })])
    deepEqual(await apps.findApiKey(key(1).hash, at(1)), { appId, version: 1 })
  }),
  storageCase('AD-17', 'MUST replace a sealed key once when 50 ask at once', async ({ apps }, { other }) => {
    await createApps(apps)
    const request = { appId, version: 1, former: key(1).sealed, now: at(1) }
    const answers = await race(apps, other.apps, (handle, racer) =>
      handle.replaceSealedApiKey({ ...request, fresh: Uint8Array.from([100, racer]) }),
    )
    deepEqual(answers.filter(Boolean).length, 1)
    const sealed = (await apps.listApiKeys([appId], at(1))).map((one) => one.sealed)
    deepEqual(sealed, [Uint8Array.from([100, answers.indexOf(true)])])
  }),
]
