import { spoilt } from './spoilt.js'
import type { WrongStorage } from '../wrong-storage.js'

/** Wrong directories of grants, each caught by one case. */
export const wrongGrants: readonly WrongStorage[] = [
  [
    'finds grants before it says where there is none',
    'AD-20',
    spoilt((apps) => ({
      async findGrants(pairs) {
        const found = await apps.findGrants(pairs)
        return [...found.filter((one) => one !== null), ...found.filter((one) => one === null)]
      },
    })),
  ],
  [
    'keeps the account of a grant that is replaced',
    'AD-22',
    spoilt((apps) => ({
      async putGrant(grant) {
        const [before] = await apps.findGrants([grant])
        return apps.putGrant({ ...grant, accountId: before?.accountId ?? grant.accountId })
      },
    })),
  ],
  [
    'removes the tokens of all users of the app',
    'AD-24',
    spoilt((apps, { database }) => ({
      async revokeGrant(request) {
        const isRevoked = await apps.revokeGrant(request)
        database.prepare('DELETE FROM kyc_relay_access_tokens WHERE app_id = ?').run(request.appId)
        return isRevoked
      },
    })),
  ],
  [
    'compares scopes without their case',
    'AD-30',
    spoilt((apps, { database }) => ({
      async findAccessToken(hash, now) {
        const found = await apps.findAccessToken(hash, now)
        if (found === null) return null
        const issued = database
          .prepare<[Uint8Array], string>('SELECT scopes FROM kyc_relay_access_tokens WHERE hash = ?')
          .pluck()
          .get(hash)
        const [grant] = await apps.findGrants([found])
        const held = new Set(grant?.scopes.map((scope) => scope.toLowerCase()))
        const scopes = JSON.parse(issued ?? '[]') as string[]
        return { ...found, scopes: scopes.filter((scope) => held.has(scope.toLowerCase())) }
      },
    })),
  ],
  [
    'takes a missing grant for a revoked one',
    'AD-31',
    spoilt((apps) => ({ findGrantedScopes: async (pair) => (await apps.findGrantedScopes(pair)) ?? [] })),
  ],
  [
    'writes later that a grant was revoked',
    'AD-32',
    spoilt((apps, { database }) => ({
      async revokeGrant(request) {
        const isRevoked = await apps.revokeGrant(request)
        for (let turn = 0; isRevoked && turn < 20; turn += 1) await new Promise(setImmediate)
        if (isRevoked) {
          database
            .prepare('INSERT OR REPLACE INTO kyc_relay_revoked_grants (app_id, user_id, revoked_at) VALUES (?, ?, 0)')
            .run(request.appId, request.userId)
        }
        return isRevoked
      },
    })),
  ],
  [
    'leaves a grant revoked that a token gives',
    'AD-40',
    spoilt((apps, { database }) => ({
      async issueAccessToken(request) {
        const grant = await apps.issueAccessToken(request)
        database
          .prepare('INSERT OR REPLACE INTO kyc_relay_revoked_grants (app_id, user_id, revoked_at) VALUES (?, ?, 0)')
          .run(grant.appId, grant.userId)
        return grant
      },
    })),
  ],
  [
    'looks for the grant, then gives it and the token',
    'AD-41',
    spoilt((apps) => ({
      async issueAccessToken({ token, identifiers }) {
        const { appId, userId, scopes } = token
        const [former] = await apps.findGrants([token])
        const held = former?.scopes ?? []
        const grant = { appId, userId, ...identifiers, ...former, scopes: [...new Set([...held, ...scopes])] }
        await apps.putGrant(grant)
        await apps.addAccessToken(token)
        return grant
      },
    })),
  ],
]
