import { setImmediate as nextTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type { ApiKeyRow } from '../../src/apps/app-directory.js'
import { appId, hashOf } from '../../src/testing/app-directory/sample-apps.js'
import { appDirectoryCases } from '../../src/testing/index.js'
import { spoilt } from './app-directories/spoilt.js'
import { wrongGrants } from './app-directories/grants.js'
import { wrongKeys } from './app-directories/keys.js'
import { testTheCases, type WrongStorage } from './wrong-storage.js'

function insertKey(database: Database.Database, key: ApiKeyRow): void {
  database
    .prepare(
      `INSERT INTO kyc_relay_api_keys (app_id, version, hash, sealed, created_at, signs_from, retired_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[key.appId, key.version, key.hash, key.sealed, key.createdAt.getTime(), key.signsFrom.getTime()],
      key.retiredAt?.getTime() ?? null,
    )
}

async function withoutForeignKeys<T>(database: Database.Database, work: () => Promise<T>): Promise<T> {
  database.pragma('foreign_keys = OFF')
  try {
    return await work()
  } finally {
    database.pragma('foreign_keys = ON')
  }
}

const wrongDirectories: readonly WrongStorage[] = [
  ...wrongKeys,
  ...wrongGrants,
  [
    'finds an app by any id',
    'AD-01',
    spoilt((apps) => ({ findApp: async (id) => (await apps.findApp(id)) ?? (await apps.findApp(appId)) })),
  ],
  [
    'makes the app first and its key afterwards',
    'AD-02',
    spoilt((_apps, { database }) => ({
      async createApp(app) {
        database.prepare('INSERT INTO kyc_relay_apps (app_id, name) VALUES (?, ?)').run(app.appId, app.name)
        await nextTurn()
        insertKey(database, app.firstKey)
      },
    })),
  ],
  [
    'renames an app that is there',
    'AD-03',
    spoilt((apps, { database }) => ({
      createApp(app) {
        database.prepare('UPDATE kyc_relay_apps SET name = ? WHERE app_id = ?').run(app.name, app.appId)
        return apps.createApp(app)
      },
    })),
  ],
  [
    'lists keys oldest first',
    'AD-04',
    spoilt((apps) => ({ listApiKeys: async (ids, now) => [...(await apps.listApiKeys(ids, now))].reverse() })),
  ],
  [
    'pages from its last key on',
    'AD-05',
    spoilt((apps) => ({
      pageApiKeys({ after, ...page }) {
        const from = after === undefined ? {} : { after: { ...after, version: after.version - 1 } }
        return apps.pageApiKeys({ ...page, ...from })
      },
    })),
  ],
  [
    'lets any number of versions wait',
    'AD-06',
    spoilt((_apps, { database }) => ({
      addApiKey(key) {
        insertKey(database, key)
        return Promise.resolve('added')
      },
    })),
  ],
  [
    'looks for a waiting version, then writes',
    'AD-07',
    spoilt((apps, { database }) => ({
      async addApiKey(key) {
        const keys = await apps.listApiKeys([key.appId], key.createdAt)
        if (keys.some(({ signsFrom }) => signsFrom > key.createdAt)) return 'rotation_pending'
        await nextTurn()
        insertKey(database, {
          ...key,
          version: 2 + (database.prepare('SELECT count(*) FROM kyc_relay_api_keys').pluck().get() as number),
        })
        return 'added'
      },
    })),
  ],
  [
    'never retires a key',
    'AD-08',
    spoilt((apps) => ({
      activateApiKey: (request) => apps.activateApiKey({ ...request, retireOldAt: new Date(8.64e15) }),
    })),
  ],
  [
    'tells everybody that they activated',
    'AD-09',
    spoilt((apps) => ({
      async activateApiKey(request) {
        await apps.activateApiKey(request)
        return true
      },
    })),
  ],
  [
    'accepts a key at the instant of its retirement',
    'AD-10',
    spoilt((apps) => ({ findApiKey: (hash, now) => apps.findApiKey(hash, new Date(now.getTime() - 1)) })),
  ],
  [
    'puts off the retirement of every older key',
    'AD-11',
    spoilt((apps, { database }) => ({
      async activateApiKey(request) {
        const activated = await apps.activateApiKey(request)
        database
          .prepare('UPDATE kyc_relay_api_keys SET retired_at = ? WHERE retired_at IS NOT NULL')
          .run(request.retireOldAt.getTime())
        return activated
      },
    })),
  ],
  [
    'tells in an error what it was about',
    'AD-12',
    spoilt((apps) => ({
      createApp: (app) =>
        apps.createApp(app).catch((error: unknown) => {
          throw Object.assign(error as Error, { detail: `Key (name)=(${app.name}) already exists.` })
        }),
    })),
  ],
  [
    'leaves out where there is no grant',
    'AD-20',
    spoilt((apps) => ({ findGrants: async (pairs) => (await apps.findGrants(pairs)).filter((one) => one !== null) })),
  ],
  [
    'knows one grant of a user',
    'AD-21',
    spoilt((apps) => ({ listGrantsOfUser: async (userId) => (await apps.listGrantsOfUser(userId)).slice(0, 1) })),
  ],
  [
    'replaces a grant by removing it first',
    'AD-22',
    spoilt((apps) => ({
      async putGrant(grant) {
        await apps.revokeGrant(grant)
        await apps.putGrant(grant)
      },
    })),
  ],
  [
    'leaves the tokens of a revoked grant',
    'AD-23',
    spoilt((apps, { database }) => ({
      revokeGrant: (request) => withoutForeignKeys(database, () => apps.revokeGrant(request)),
    })),
  ],
  [
    'revokes the grants of a user everywhere',
    'AD-24',
    spoilt((apps, { database }) => ({
      async revokeGrant(request) {
        const revoked = await apps.revokeGrant(request)
        database.prepare('DELETE FROM kyc_relay_grants WHERE user_id = ?').run(request.userId)
        return revoked
      },
    })),
  ],
  [
    'takes tokens without a grant',
    'AD-25',
    spoilt((apps, { database }) => ({
      addAccessToken: (token) => withoutForeignKeys(database, () => apps.addAccessToken(token)),
    })),
  ],
  [
    'accepts a token at the instant it expires',
    'AD-26',
    spoilt((apps) => ({ findAccessToken: (hash, now) => apps.findAccessToken(hash, new Date(now.getTime() - 1)) })),
  ],
  [
    'finds a token by the beginning of its hash',
    'AD-27',
    spoilt((apps, { database }) => ({
      findAccessToken(hash, now) {
        const whole = database
          .prepare('SELECT hash FROM kyc_relay_access_tokens WHERE substr(hash, 1, ?) = ?')
          .pluck()
          .get(hash.byteLength, hash)
        return apps.findAccessToken(whole instanceof Uint8Array ? whole : hashOf('nothing'), now)
      },
    })),
  ],
  [
    'normalises names',
    'AD-28',
    spoilt((apps) => ({ createApp: (app) => apps.createApp({ ...app, name: app.name.normalize('NFC') }) })),
  ],
  [
    'pages through retired keys as well',
    'AD-13',
    spoilt((apps) => ({
      pageApiKeys: (page) => apps.pageApiKeys(Number.isNaN(Number(page.now)) ? page : { ...page, now: new Date(0) }),
    })),
  ],
  [
    'rounds a limit to what it can do',
    'AD-14',
    spoilt((apps) => ({
      pageApiKeys: (page) => apps.pageApiKeys({ ...page, limit: Math.max(1, Math.ceil(page.limit)) }),
    })),
  ],
  [
    'lists the keys of now without a time',
    'AD-42',
    spoilt((apps) => ({
      pageApiKeys: (page) => apps.pageApiKeys({ ...page, now: Number.isNaN(Number(page.now)) ? new Date() : page.now }),
    })),
  ],
  [
    'replaces a sealed key, whatever it is by now',
    'AD-15',
    spoilt((_apps, { database }) => ({
      replaceSealedApiKey({ appId, version, fresh }) {
        const update = database.prepare('UPDATE kyc_relay_api_keys SET sealed = ? WHERE app_id = ? AND version = ?')
        return Promise.resolve(update.run(fresh, appId, version).changes > 0)
      },
    })),
  ],
  [
    'seals the keys of all apps alike',
    'AD-16',
    spoilt((apps, { database }) => ({
      async replaceSealedApiKey(request) {
        database.prepare('UPDATE kyc_relay_api_keys SET sealed = ?').run(request.fresh)
        return apps.replaceSealedApiKey({ ...request, former: request.fresh })
      },
    })),
  ],
  [
    'looks at what is sealed, then writes',
    'AD-17',
    spoilt((apps, { database }) => ({
      async replaceSealedApiKey({ appId, version, former, fresh, now }) {
        const found = (await apps.listApiKeys([appId], now)).find((one) => one.version === version)
        await nextTurn()
        if (found === undefined || Buffer.compare(found.sealed, former) !== 0) return false
        database.prepare('UPDATE kyc_relay_api_keys SET sealed = ? WHERE app_id = ?').run(fresh, appId)
        return true
      },
    })),
  ],
  ['forgets', 'AD-29', 'forgets on closing'],
  [
    'takes the newest accepted version for the newest',
    'AD-33',
    spoilt((apps) => ({
      findNewestApiKeyVersion: async (id) => (await apps.listApiKeys([id], new Date(8e15)))[0]?.version ?? 0,
    })),
  ],
  [
    'discards a key a second later',
    'AD-34',
    spoilt((apps) => ({
      discardApiKey: ({ appId: app, now }) => apps.discardApiKey({ appId: app, now: new Date(now.getTime() + 1_000) }),
    })),
  ],
  [
    'lets the key before it sign again',
    'AD-35',
    spoilt((_apps, { database }) => ({
      revokeApiKey({ appId: app, version, now }) {
        const at = now.getTime()
        const end = database.prepare(
          `UPDATE kyc_relay_api_keys SET retired_at = ?
           WHERE app_id = ? AND version = ? AND (retired_at IS NULL OR retired_at > ?)`,
        )
        return Promise.resolve(end.run(at, app, version, at).changes > 0)
      },
    })),
  ],
  [
    'leaves the waiting key waiting when none signs',
    'AD-36',
    spoilt((apps, { database }) => ({
      async revokeApiKey(request) {
        const waiting = database.prepare('SELECT version, signs_from FROM kyc_relay_api_keys WHERE app_id = ?')
        const former = waiting.all(request.appId) as { version: number; signs_from: number }[]
        const revoked = await apps.revokeApiKey(request)
        const restore = database.prepare(
          'UPDATE kyc_relay_api_keys SET signs_from = ? WHERE app_id = ? AND version = ?',
        )
        for (const { version, signs_from } of former) restore.run(signs_from, request.appId, version)
        return revoked
      },
    })),
  ],
  [
    'revokes every key of the app',
    'AD-37',
    spoilt((apps, { database }) => ({
      async revokeApiKey(request) {
        const revoked = await apps.revokeApiKey(request)
        database
          .prepare('UPDATE kyc_relay_api_keys SET retired_at = ? WHERE app_id = ?')
          .run(request.now.getTime(), request.appId)
        return revoked
      },
    })),
  ],
  [
    'signs with an issued key at once, whatever signs',
    'AD-38',
    spoilt((apps) => ({
      issueApiKey: ({ key, reason }) => apps.issueApiKey({ key: { ...key, signsFrom: key.createdAt }, reason }),
    })),
  ],
  [
    'tells everybody that they revoked',
    'AD-39',
    spoilt((apps) => ({
      async revokeApiKey(request) {
        await apps.revokeApiKey(request)
        return true
      },
    })),
  ],
  [
    'gives a token the scopes that it was issued with',
    'AD-30',
    spoilt((apps, { database }) => ({
      async findAccessToken(hash, now) {
        const issued = database
          .prepare('SELECT scopes FROM kyc_relay_access_tokens WHERE hash = ?')
          .pluck()
          .get(hash) as string
        const found = await apps.findAccessToken(hash, now)
        return found && { ...found, scopes: JSON.parse(issued) as string[] }
      },
    })),
  ],
  [
    'forgets that a grant was revoked',
    'AD-31',
    spoilt((apps) => ({
      findGrantedScopes: async (pair) => (await apps.findGrants([pair]))[0]?.scopes ?? null,
    })),
  ],
  [
    'looks for a grant, then writes that it was revoked',
    'AD-32',
    spoilt((apps, { database }) => ({
      async revokeGrant(request) {
        const [found] = await apps.findGrants([request])
        // Until everybody else has written.
        for (let turn = 0; turn < 100; turn += 1) await nextTurn()
        const { appId: app, userId } = request
        database
          .prepare('INSERT OR REPLACE INTO kyc_relay_revoked_grants (app_id, user_id, revoked_at) VALUES (?, ?, 0)')
          .run(app, userId)
        return found !== null
      },
    })),
  ],
]

testTheCases(appDirectoryCases, wrongDirectories)
