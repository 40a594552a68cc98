import { deepEqual, equal } from 'node:assert/strict'
import { uuid } from '../sample-records.js'
import { race, refused, reopenCase, storageCase, type StorageCase } from '../storage-case.js'
import {
  appId,
  at,
  createApps,
  grant,
  hashOf,
  key,
  otherApp,
  token,
  userId,
  type AppDirectoryHandle,
} from './sample-apps.js'

/** Cases about grants and their access tokens. */
export const grantCases: readonly StorageCase<AppDirectoryHandle>[] = [
  storageCase('AD-20', 'MUST find grants in the order asked, null where there is none', async ({ apps }) => {
    await createApps(apps)
    await apps.putGrant(grant())
    await apps.putGrant(grant({ appId: otherApp, scopes: [] }))
    const asked = [
      { appId: otherApp, userId },
      { appId, userId: uuid('nobody') },
      { appId, userId },
    ]
    deepEqual(await apps.findGrants(asked), [grant({ appId: otherApp, scopes: [] }), null, grant()])
    deepEqual(await apps.findGrants([]), [])
  }),
  storageCase('AD-21', "MUST list only this user's grants, of every app", async ({ apps }) => {
    await createApps(apps)
    await apps.putGrant(grant())
    await apps.putGrant(grant({ appId: otherApp, scopes: [] }))
    await apps.putGrant(grant({ userId: uuid('somebody else') }))
    const byApp = (one: { appId: string }, next: { appId: string }) => (one.appId < next.appId ? -1 : 1)
    const expected = [grant(), grant({ appId: otherApp, scopes: [] })].sort(byApp)
    deepEqual([...(await apps.listGrantsOfUser(userId))].sort(byApp), expected)
    deepEqual(await apps.listGrantsOfUser(uuid('nobody')), [])
  }),
  storageCase('AD-22', 'MUST replace a grant completely and keep its access tokens', async ({ apps }) => {
    await createApps(apps)
    await apps.putGrant(grant())
    await apps.addAccessToken(token('secret'))
    const next = grant({
      accountId: uuid('another account'),
      externalReferenceId: 'new',
      scopes: ['MAKE_PAYOUT_SEND', 'VERIFY_KYC'],
    })
    await apps.putGrant(next)
    deepEqual(await apps.findGrants([{ appId, userId }]), [next])
    deepEqual(await apps.findAccessToken(hashOf('secret'), at(59)), token('secret'))
  }),
  storageCase('AD-23', 'MUST remove the access tokens together with the grant', async ({ apps }) => {
    await createApps(apps)
    await apps.putGrant(grant())
    await apps.addAccessToken(token('secret'))
    equal(await apps.revokeGrant({ appId, userId }), true)
    equal(await apps.revokeGrant({ appId, userId }), false)
    deepEqual(await apps.findGrants([{ appId, userId }]), [null])
    equal(await apps.findAccessToken(hashOf('secret'), at(0)), null)
    await apps.putGrant(grant())
    equal(await apps.findAccessToken(hashOf('secret'), at(0)), null)
  }),
  storageCase(
    'AD-24',
    'MUST leave the grants and tokens of another app and user when one is revoked',
    async ({ apps }) => {
      await createApps(apps)
      const others = [{ appId: otherApp }, { userId: uuid('somebody else') }]
      for (const change of [{}, ...others]) await apps.putGrant(grant(change))
      for (const change of others) await apps.addAccessToken(token(JSON.stringify(change), change))
      await apps.revokeGrant({ appId, userId })
      for (const change of others) {
        const found = await apps.findAccessToken(hashOf(JSON.stringify(change)), at(0))
        deepEqual(found, token(JSON.stringify(change), change))
      }
    },
  ),
  storageCase('AD-25', 'MUST refuse an access token without a grant, showing nothing of it', async ({ apps }) => {
    await createApps(apps)
    const hidden = [userId, Buffer.from(hashOf('early')).toString('hex'), 'VERIFY_KYC']
    await refused(apps.addAccessToken(token('early')), { hidden })
    await apps.putGrant(grant())
    equal(await apps.findAccessToken(hashOf('early'), at(0)), null)
    await apps.revokeGrant({ appId, userId })
    await refused(apps.addAccessToken(token('late')), { hidden })
  }),
  storageCase('AD-26', 'MUST end an access token at the instant it expires', async ({ apps }) => {
    await createApps(apps)
    await apps.putGrant(grant())
    await apps.addAccessToken(token('secret'))
    deepEqual(await apps.findAccessToken(hashOf('secret'), at(59.999)), token('secret'))
    equal(await apps.findAccessToken(hashOf('secret'), at(60)), null)
  }),
  storageCase('AD-27', 'MUST find an access token only by its exact hash', async ({ apps }) => {
    await createApps(apps)
    await apps.putGrant(grant())
    await apps.addAccessToken(token('secret'))
    for (const hash of [hashOf('Secret'), new Uint8Array(), hashOf('secret').subarray(0, 31)]) {
      equal(await apps.findAccessToken(hash, at(0)), null)
    }
  }),
  storageCase('AD-28', 'MUST return every legal value unchanged', async ({ apps }, { other }) => {
    await createApps(apps)
    const name = `Ünïted 検証 Z\u0301 ${'x'.repeat(200)}`
    const third = uuid('third')
    await apps.createApp({ appId: third, name, firstKey: key(1, { appId: third, sealed: new Uint8Array(4_096) }) })
    deepEqual(await other.apps.findApp(third), { appId: third, name })
    deepEqual((await other.apps.listApiKeys([third], at(0)))[0]?.sealed, new Uint8Array(4_096))
    const odd = grant({ externalReferenceId: `"' OR 1=1 -- ${'漢'.repeat(200)}`, scopes: ['b', 'a', 'a'] })
    await apps.putGrant(odd)
    deepEqual(await other.apps.findGrants([odd]), [odd])
    const none = token('none', { scopes: [], expiresAt: at(0.001) })
    await apps.addAccessToken(none)
    deepEqual(await other.apps.findAccessToken(none.hash, at(0)), none)
  }),
  reopenCase(
    'AD-29',
    'MUST keep all data when it is closed',
    async ({ apps }) => {
      await createApps(apps)
      await apps.putGrant(grant())
      await apps.addAccessToken(token('secret'))
    },
    async ({ apps }) => {
      deepEqual(await apps.listApiKeys([appId], at(0)), [key(1)])
      deepEqual(await apps.listGrantsOfUser(userId), [grant()])
      deepEqual(await apps.findAccessToken(hashOf('secret'), at(0)), token('secret'))
    },
  ),
  storageCase('AD-30', 'MUST give an access token the scopes that its grant still holds, at once', async (one, two) => {
    const { apps } = one
    await createApps(apps)
    await apps.putGrant(grant({ scopes: ['VERIFY_KYC', 'LIST_PAYMENT', 'MAKE_PAYOUT_SEND'] }))
    await apps.addAccessToken(token('secret', { scopes: ['LIST_PAYMENT', 'VERIFY_KYC'] }))
    const scopesAfter = async (scopes: readonly string[]) => {
      await two.other.apps.putGrant(grant({ scopes }))
      return (await apps.findAccessToken(hashOf('secret'), at(0)))?.scopes
    }
    deepEqual(await scopesAfter(['VERIFY_KYC', 'MAKE_PAYOUT_SEND']), ['VERIFY_KYC'])
    deepEqual(await scopesAfter(['MAKE_PAYOUT_SEND']), [])
    deepEqual(await scopesAfter([]), [])
    deepEqual(await scopesAfter(['verify_kyc', 'VERIFY_KYC_']), [])
    deepEqual(await scopesAfter(['VERIFY_KYC', 'LIST_PAYMENT']), ['LIST_PAYMENT', 'VERIFY_KYC'])
  }),
  storageCase(
    'AD-31',
    'MUST distinguish a revoked grant from a missing one until it is given again',
    async (one, two) => {
      const { apps } = one
      await createApps(apps)
      equal(await apps.findGrantedScopes({ appId, userId }), null)
      await apps.putGrant(grant({ scopes: ['VERIFY_KYC', 'LIST_PAYMENT'] }))
      deepEqual(await apps.findGrantedScopes({ appId, userId }), ['VERIFY_KYC', 'LIST_PAYMENT'])
      equal(await apps.revokeGrant({ appId, userId }), true)
      deepEqual(await two.other.apps.findGrantedScopes({ appId, userId }), [])
      equal(await apps.revokeGrant({ appId, userId }), false)
      deepEqual(await apps.findGrantedScopes({ appId, userId }), [])
      equal(await apps.findGrantedScopes({ appId: otherApp, userId }), null)
      equal(await apps.findGrantedScopes({ appId, userId: uuid('nobody') }), null)
      await apps.putGrant(grant())
      deepEqual(await apps.findGrantedScopes({ appId, userId }), ['VERIFY_KYC'])
      equal(await apps.revokeGrant({ appId, userId }), true)
      deepEqual(await apps.findGrantedScopes({ appId, userId }), [])
    },
  ),
  storageCase(
    'AD-32',
    'MUST end in one of both states when a grant is given and revoked at once',
    async ({ apps }, { other }) => {
      await createApps(apps)
      await apps.putGrant(grant())
      // Repeated, because the order of the race differs.
      for (let first = 0; first < 12; first++) {
        await race(apps, other.apps, async (handle, racer) => {
          if ((first + racer) % 4 < 2) await handle.putGrant(grant({ scopes: [`SCOPE_${racer}`] }))
          else await handle.revokeGrant({ appId, userId })
        })
        const [found] = await apps.findGrants([{ appId, userId }])
        deepEqual(await apps.findGrantedScopes({ appId, userId }), found?.scopes ?? [])
      }
    },
  ),
  storageCase('AD-40', 'MUST add the scopes of an issued token to the grant, or make one', async (one, two) => {
    const { apps } = one
    await createApps(apps)
    const identifiers = { accountId: uuid('account'), externalReferenceId: 'réf 1' }
    deepEqual(await apps.issueAccessToken({ token: token('one'), identifiers }), grant())
    const next = token('two', { scopes: ['LIST_PAYMENT', 'VERIFY_KYC'] })
    const others = { accountId: uuid('another account'), externalReferenceId: 'other' }
    const both = grant({ scopes: ['VERIFY_KYC', 'LIST_PAYMENT'] })
    deepEqual(await two.other.apps.issueAccessToken({ token: next, identifiers: others }), both)
    deepEqual(await apps.findGrants([both]), [both])
    deepEqual(await apps.findAccessToken(next.hash, at(0)), next)
    deepEqual(await apps.findAccessToken(hashOf('one'), at(0)), token('one'))
    equal(await apps.revokeGrant({ appId, userId }), true)
    deepEqual(await apps.issueAccessToken({ token: token('three'), identifiers: others }), grant(others))
    deepEqual(await apps.findGrantedScopes({ appId, userId }), ['VERIFY_KYC'])
  }),
  storageCase(
    'AD-41',
    'MUST NOT give back what is revoked while tokens are issued, nor change an account',
    async ({ apps }, { other }) => {
      await createApps(apps)
      for (let round = 0; round < 2; round++) {
        await apps.putGrant(grant({ scopes: ['REVOKED'] }))
        await race(apps, other.apps, async (handle, racer) => {
          if (racer % 10 === 4) await handle.revokeGrant({ appId, userId })
          const issued = token(`${round} ${racer}`, { scopes: [`SCOPE_${racer}`] })
          const identifiers = { accountId: uuid(`account ${racer}`), externalReferenceId: 'ref' }
          await handle.issueAccessToken({ token: issued, identifiers })
        })
        const [found] = await apps.findGrants([{ appId, userId }])
        equal(found?.scopes.includes('REVOKED') ?? false, false)
      }
      const first = uuid('new user')
      const grants = await race(apps, other.apps, (handle, racer) =>
        handle.issueAccessToken({
          token: token(`new ${racer}`, { userId: first, scopes: [`SCOPE_${racer}`] }),
          identifiers: { accountId: uuid(`account ${racer}`), externalReferenceId: `ref ${racer}` },
        }),
      )
      equal(new Set(grants.map(({ accountId, externalReferenceId }) => accountId + externalReferenceId)).size, 1)
      equal((await apps.findGrants([{ appId, userId: first }]))[0]?.scopes.length, 50)
    },
  ),
]
