import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { ApiKeyRow, AppDirectory, Grant } from '../src/app-directory.js'
import { startOfTests, uuid } from './samples.js'

const [appId, otherApp, userId] = [uuid('app'), uuid('other app'), uuid('user')]
const hashOf = (secret: string) => new Uint8Array(createHash('sha256').update(secret).digest())
const at = (seconds: number) => new Date(startOfTests.getTime() + seconds * 1_000)

function key(version: number, change: Partial<ApiKeyRow> = {}): ApiKeyRow {
  const secret = `${change.appId ?? appId} ${version}`
  return {
    appId,
    version,
    hash: hashOf(secret),
    sealed: Uint8Array.from([version, 0, 255]),
    createdAt: at(0),
    signsFrom: at(0),
    retiredAt: null,
    ...change,
  }
}

function grant(change: Partial<Grant> = {}): Grant {
  const base = { appId, userId, accountId: uuid('account'), externalReferenceId: 'réf 1', scopes: ['VERIFY_KYC'] }
  return { ...base, ...change }
}

const token = (secret: string) => ({ hash: hashOf(secret), appId, userId, scopes: ['VERIFY_KYC'], expiresAt: at(60) })

async function createApps(apps: AppDirectory): Promise<void> {
  await apps.createApp({ appId, name: 'Example Ünited', firstKey: key(1) })
  await apps.createApp({ appId: otherApp, name: 'Other', firstKey: key(1, { appId: otherApp }) })
}

/** What every app directory does; each case gets an empty one. */
export const appDirectoryCases: readonly { readonly name: string; run(apps: AppDirectory): Promise<void> }[] = [
  {
    name: 'an app is found with its first key, or not at all',
    async run(apps) {
      expect(await apps.findApp(appId)).toBeNull()
      await createApps(apps)
      expect(await apps.findApp(appId)).toEqual({ appId, name: 'Example Ünited' })
      expect(await apps.findApiKey(key(1).hash, at(0))).toEqual({ appId, version: 1 })
      expect(await apps.findApiKey(hashOf('another'), at(0))).toBeNull()
      const taken = apps.createApp({
        appId: uuid('third'),
        name: 'Third',
        firstKey: key(1, { appId: uuid('third'), hash: key(1).hash }),
      })
      await expect(taken).rejects.toMatchObject({ code: 'CONSTRAINT' })
      expect(await apps.findApp(uuid('third'))).toBeNull()
    },
  },
  {
    name: 'keys are read back whole, newest version first, of the asked apps only',
    async run(apps) {
      await createApps(apps)
      expect(await apps.addApiKey(key(2, { signsFrom: at(86_400) }))).toBe('added')
      expect(await apps.listApiKeys([appId], at(0))).toEqual([key(2, { signsFrom: at(86_400) }), key(1)])
      expect((await apps.listApiKeys([appId, otherApp], at(0))).map((one) => one.version)).toEqual([2, 1, 1])
      expect(await apps.listApiKeys([], at(0))).toEqual([])
      expect(await apps.listApiKeys([uuid('nobody')], at(0))).toEqual([])
    },
  },
  {
    name: 'keys of all apps are paged through once each, retired ones left out',
    async run(apps) {
      expect(await apps.pageApiKeys({ now: at(0), limit: 10 })).toEqual([])
      await createApps(apps)
      await apps.addApiKey(key(2, { createdAt: at(1), signsFrom: at(86_400) }))
      const all = await apps.pageApiKeys({ now: at(2), limit: 10 })
      const [first, second] = [appId, otherApp].sort()
      const expected = [key(1), key(2, { createdAt: at(1), signsFrom: at(86_400) }), key(1, { appId: otherApp })]
      expect(all).toEqual([first, second].flatMap((app) => expected.filter((one) => one.appId === app)))
      for (const [index, after] of all.entries()) {
        expect(await apps.pageApiKeys({ now: at(2), after, limit: 1 })).toEqual(all.slice(index + 1, index + 2))
      }
      await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(4) })
      expect((await apps.pageApiKeys({ now: at(3), limit: 10 })).length).toBe(3)
      expect((await apps.pageApiKeys({ now: at(4), limit: 10 })).map(({ version }) => version).sort()).toEqual([1, 2])
      await expect(apps.pageApiKeys({ now: at(4), limit: 0 })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    },
  },
  {
    name: 'a key is sealed anew only in place of what the caller saw, and stays the same key',
    async run(apps) {
      await createApps(apps)
      const former = key(1).sealed
      const [fresh, other] = [Uint8Array.from([7, 7]), Uint8Array.from([8])]
      const replace = (from: Uint8Array, to: Uint8Array, version = 1) =>
        apps.replaceSealedApiKey({ appId, version, former: from, fresh: to, now: at(1) })
      expect(await replace(other, fresh)).toBe(false)
      expect(await replace(former, fresh, 2)).toBe(false)
      const racing = await Promise.all([replace(former, fresh), replace(former, other)])
      expect(racing.filter(Boolean)).toHaveLength(1)
      expect(await apps.listApiKeys([appId], at(1))).toEqual([key(1, { sealed: racing[0] ? fresh : other })])
      expect(await apps.listApiKeys([otherApp], at(1))).toEqual([key(1, { appId: otherApp })])
      expect(await apps.findApiKey(key(1).hash, at(1))).toEqual({ appId, version: 1 })
    },
  },
  {
    name: 'a rotation waits for its activation, one at a time',
    async run(apps) {
      await createApps(apps)
      expect(await apps.activateApiKey({ appId, now: at(1), retireOldAt: at(10) })).toBe(false)
      await apps.addApiKey(key(2, { createdAt: at(1), signsFrom: at(86_400) }))
      expect(await apps.addApiKey(key(3, { createdAt: at(2), signsFrom: at(86_400) }))).toBe('rotation_pending')
      expect(await apps.addApiKey(key(2, { appId: otherApp, createdAt: at(2), signsFrom: at(9) }))).toBe('added')
      expect(await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(10) })).toBe(true)
      expect(await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(10) })).toBe(false)
      const keys = await apps.listApiKeys([appId], at(3))
      expect(keys.map(({ version, signsFrom, retiredAt }) => ({ version, signsFrom, retiredAt }))).toEqual([
        { version: 2, signsFrom: at(3), retiredAt: null },
        { version: 1, signsFrom: at(0), retiredAt: at(10) },
      ])
      expect(await apps.findApiKey(key(1).hash, at(9))).toEqual({ appId, version: 1 })
      expect(await apps.findApiKey(key(1).hash, at(10))).toBeNull()
      expect((await apps.listApiKeys([appId], at(10))).map(({ version }) => version)).toEqual([2])
      expect(await apps.addApiKey(key(3, { createdAt: at(11), signsFrom: at(86_400) }))).toBe('added')
    },
  },
  {
    name: 'grants are found in the order asked',
    async run(apps) {
      await createApps(apps)
      await apps.putGrant(grant())
      await apps.putGrant(grant({ appId: otherApp, scopes: [] }))
      const asked = [
        { appId: otherApp, userId },
        { appId, userId: uuid('nobody') },
        { appId, userId },
      ]
      expect(await apps.findGrants(asked)).toEqual([grant({ appId: otherApp, scopes: [] }), null, grant()])
      expect(await apps.findGrants([])).toEqual([])
      expect(new Set(await apps.listGrantsOfUser(userId))).toEqual(
        new Set([grant(), grant({ appId: otherApp, scopes: [] })]),
      )
      expect(await apps.listGrantsOfUser(uuid('nobody'))).toEqual([])
    },
  },
  {
    name: 'a replaced grant keeps the access tokens, a revoked one takes them along',
    async run(apps) {
      await createApps(apps)
      await apps.putGrant(grant())
      await apps.addAccessToken(token('secret'))
      await apps.putGrant(grant({ scopes: ['VERIFY_KYC', 'MAKE_PAYOUT_SEND'], externalReferenceId: 'new' }))
      expect(await apps.findGrants([{ appId, userId }])).toEqual([
        grant({ scopes: ['VERIFY_KYC', 'MAKE_PAYOUT_SEND'], externalReferenceId: 'new' }),
      ])
      expect(await apps.findAccessToken(hashOf('secret'), at(59))).toEqual(token('secret'))
      expect(await apps.revokeGrant({ appId, userId })).toBe(true)
      expect(await apps.revokeGrant({ appId, userId })).toBe(false)
      expect(await apps.findAccessToken(hashOf('secret'), at(0))).toBeNull()
      expect(await apps.findGrants([{ appId, userId }])).toEqual([null])
      await expect(apps.addAccessToken(token('late'))).rejects.toMatchObject({ code: 'CONSTRAINT' })
    },
  },
  {
    name: 'a token ends at the instant it expires, and is found by its exact hash alone',
    async run(apps) {
      await createApps(apps)
      await apps.putGrant(grant())
      await apps.addAccessToken(token('secret'))
      expect(await apps.findAccessToken(hashOf('secret'), at(59.999))).toEqual(token('secret'))
      expect(await apps.findAccessToken(hashOf('secret'), at(60))).toBeNull()
      expect(await apps.findAccessToken(hashOf('Secret'), at(0))).toBeNull()
      expect(await apps.findAccessToken(new Uint8Array(), at(0))).toBeNull()
    },
  },
]
