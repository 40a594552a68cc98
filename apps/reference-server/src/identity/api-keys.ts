import { createHash, randomBytes } from 'node:crypto'
import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { ApiKeyRow, AppDirectory } from '@kyc-relay/storage-drizzle/sqlite'
import type { SigningKey } from '@kyc-relay/webhooks/delivery'
import { openApiKey, sealApiKey, wrappingKeyIdOf } from './sealed-api-key.js'
import { pagesOfApiKeys } from './api-key-pages.js'

const dayMs = 24 * 60 * 60 * 1000

/** Times that a version is tried which others take first. */
const mostStarts = 5

/** Too many keys were made for one app at once. Nothing was written; a retry may work. */
class KeyVersionsContested extends Error {
  readonly code = 'KEY_VERSIONS_CONTESTED'
  readonly retryable = true
}

/** API keys of apps: sealed at rest, shown once, looked up by hash, and the secret that signs webhooks. */
export interface ApiKeys {
  /** Adds an app with its first key, which signs at once. The key is in the answer and nowhere else. */
  createApp(app: { readonly appId: string; readonly name: string }): Promise<{ apiKey: string }>
  /** Whose key it is; null for one that is unknown or retired. */
  findApp(apiKey: string): Promise<{ appId: string; version: number } | null>
  /** A new key, accepted at once. It signs when the partner activates it, or after 24 hours. */
  rotate(appId: string): Promise<{ apiKey: string; version: number; signsFrom: Date } | 'rotation_pending'>
  /** The waiting key signs from now on; the old one may read for 24 more hours. False when none waits. */
  activate(appId: string): Promise<boolean>
  /** Ends the waiting key: it never signs. False when none waits. */
  discard(appId: string): Promise<boolean>
  /**
   * Ends a version now. When it is the one that signs, older versions end with it and a waiting one signs from now on; without
   * a waiting one deliveries are held back (`UNSENT`) until a key is issued. False when no such version is accepted.
   *
   * @param request `reason`: the operator's; null where the partner revokes.
   */
  revoke(request: { appId: string; version: number; reason: string | null }): Promise<boolean>
  /**
   * A new key for an app that lost its key, in place of one that waits. It signs at once when no other key signs, else when it
   * is activated, or after 24 hours.
   */
  issue(request: { appId: string; reason: string }): Promise<{ apiKey: string; version: number; signsFrom: Date }>
  /** The key that signs for each of these apps now, in the order asked; null for an app without one. */
  current(appIds: readonly string[]): Promise<readonly (SigningKey | null)[]>
  /** The key that will sign once activated; null when none waits. */
  findWaiting(appId: string): Promise<SigningKey | null>
  /** Whether the stored keys can be opened: all are read, and one of each wrapping key is opened. */
  canOpenAll(): Promise<boolean>
  /** What a version may do now; null for one that is not accepted. */
  findStanding(key: { readonly appId: string; readonly version: number }): Promise<KeyVersion['standing'] | null>
  /** Versions that are accepted now, newest first. */
  listVersions(appId: string): Promise<readonly KeyVersion[]>
}

/** What may be said about one version of an API key. */
export interface KeyVersion {
  readonly version: number
  /**
   * `SIGNING` signs now and `WAITING` will once activated: both may change everything. `RETIRING` may read until `retiredAt`, if
   * that is set, and signs nothing any more.
   */
  readonly standing: 'SIGNING' | 'WAITING' | 'RETIRING'
  readonly createdAt: Date
  readonly signsFrom: Date
  readonly retiredAt: Date | null
}

/** {@link ApiKeys} over the embedded directory, sealed by the cipher of the key file. */
export function createApiKeys(deps: {
  readonly directory: AppDirectory
  readonly cipher: PiiCipher
  readonly now: () => Date
}): ApiKeys {
  const { directory, cipher, now } = deps
  const createKey = () => `kyc_key_${randomBytes(32).toString('base64url')}`

  /** A fresh key under the next version, which signs in 24 hours, for `add` to write. Another version may come first. */
  async function addNext<T>(appId: string, add: (key: ApiKeyRow) => Promise<T | 'version_taken'>) {
    for (let start = 0; start < mostStarts; start += 1) {
      const at = now()
      const version = (await directory.findNewestApiKeyVersion(appId)) + 1
      const apiKey = createKey()
      const sealed = await sealApiKey(cipher, { appId, version }, apiKey)
      const signsFrom = new Date(at.getTime() + dayMs)
      const row = { appId, version, hash: sha256(apiKey), sealed, createdAt: at, signsFrom, retiredAt: null }
      const added = await add(row)
      if (added !== 'version_taken') return { apiKey, version, signsFrom, added }
    }
    throw new KeyVersionsContested()
  }

  async function listVersions(appId: string): Promise<readonly KeyVersion[]> {
    const at = now()
    const rows = await directory.listApiKeys([appId], at)
    const signing = rows.find((row) => row.signsFrom <= at)
    return rows.map(({ version, createdAt, signsFrom, retiredAt }) => ({
      version,
      standing: signsFrom > at ? 'WAITING' : version === signing?.version ? 'SIGNING' : 'RETIRING',
      createdAt,
      signsFrom,
      retiredAt,
    }))
  }

  return {
    async createApp(app) {
      const apiKey = createKey()
      const at = now()
      const firstKey = {
        appId: app.appId,
        version: 1,
        hash: sha256(apiKey),
        createdAt: at,
        signsFrom: at,
        retiredAt: null,
      }
      await directory.createApp({
        ...app,
        firstKey: { ...firstKey, sealed: await sealApiKey(cipher, firstKey, apiKey) },
      })
      return { apiKey }
    },
    findApp: (apiKey) => directory.findApiKey(sha256(apiKey), now()),
    async rotate(appId) {
      const { added, ...key } = await addNext(appId, (row) => directory.addApiKey(row))
      return added === 'added' ? key : 'rotation_pending'
    },
    activate: (appId) =>
      directory.activateApiKey({ appId, now: now(), retireOldAt: new Date(now().getTime() + dayMs) }),
    discard: (appId) => directory.discardApiKey({ appId, now: now() }),
    revoke: (request) => directory.revokeApiKey({ ...request, now: now() }),
    async issue({ appId, reason }) {
      const { apiKey, version, added } = await addNext(appId, (key) => directory.issueApiKey({ key, reason }))
      return { apiKey, version, signsFrom: added.signsFrom }
    },
    async current(appIds) {
      const at = now()
      const keys = new Map<string, SigningKey>()
      for (const row of await directory.listApiKeys([...new Set(appIds)], at)) {
        // Newest version first: the first one that signs already is the one in force.
        if (keys.has(row.appId) || row.signsFrom > at) continue
        keys.set(row.appId, { key: await openApiKey(cipher, row), version: row.version })
      }
      return appIds.map((appId) => keys.get(appId) ?? null)
    },
    async findWaiting(appId) {
      const at = now()
      const waiting = (await directory.listApiKeys([appId], at)).find((row) => row.signsFrom > at)
      return waiting === undefined ? null : { key: await openApiKey(cipher, waiting), version: waiting.version }
    },
    async canOpenAll() {
      const opened = new Set<string>()
      for await (const page of pagesOfApiKeys(directory, now)) {
        for (const row of page) {
          try {
            const keyId = wrappingKeyIdOf(row)
            if (opened.has(keyId)) continue
            await openApiKey(cipher, row)
            opened.add(keyId)
          } catch {
            return false
          }
        }
      }
      return true
    },
    listVersions,
    async findStanding({ appId, version }) {
      return (await listVersions(appId)).find((one) => one.version === version)?.standing ?? null
    },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
