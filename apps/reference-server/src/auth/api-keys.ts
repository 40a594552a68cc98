import { createHash, randomBytes } from 'node:crypto'
import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/sqlite'
import type { SigningKey } from '@kyc-relay/webhooks/delivery'
import { openApiKey, sealApiKey, wrappingKeyIdOf } from './sealed-api-key.js'
import { pagesOfApiKeys } from './api-key-pages.js'

const dayMs = 24 * 60 * 60 * 1000

/** API keys of apps: sealed at rest, shown once, looked up by hash, and the secret that signs webhooks. */
export interface ApiKeys {
  /** Adds an app with its first key, which signs at once. The key is in the answer and nowhere else. */
  createApp(app: { readonly appId: string; readonly name: string }): Promise<{ apiKey: string }>
  /** Whose key it is; null for one that is unknown or retired. */
  findApp(apiKey: string): Promise<{ appId: string; version: number } | null>
  /** A new key, accepted at once. It signs when the partner activates it, or after 24 hours. */
  rotate(appId: string): Promise<{ apiKey: string; version: number; signsFrom: Date } | 'rotation_pending'>
  /** The waiting key signs from now on; the old one is accepted for 24 more hours. False when none waits. */
  activate(appId: string): Promise<boolean>
  /** The key that signs for each of these apps now, in the order asked; null for an app without one. */
  current(appIds: readonly string[]): Promise<readonly (SigningKey | null)[]>
  /** The key that will sign once activated; null when none waits. */
  findWaiting(appId: string): Promise<SigningKey | null>
  /** Whether the stored keys can be opened: all are read, and one of each wrapping key is opened. */
  canOpenAll(): Promise<boolean>
  /** Versions that are accepted now, newest first. */
  listVersions(appId: string): Promise<readonly KeyVersion[]>
}

/** What may be said about one version of an API key. */
export interface KeyVersion {
  readonly version: number
  /** `SIGNING` signs now, `WAITING` will once activated, `RETIRING` is accepted until `retiredAt`, if that is set. */
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
      const at = now()
      const [newest] = await directory.listApiKeys([appId], at)
      const version = (newest?.version ?? 0) + 1
      const apiKey = createKey()
      const signsFrom = new Date(at.getTime() + dayMs)
      const sealed = await sealApiKey(cipher, { appId, version }, apiKey)
      const row = { appId, version, hash: sha256(apiKey), sealed, createdAt: at, signsFrom, retiredAt: null }
      return (await directory.addApiKey(row)) === 'added' ? { apiKey, version, signsFrom } : 'rotation_pending'
    },
    activate: (appId) =>
      directory.activateApiKey({ appId, now: now(), retireOldAt: new Date(now().getTime() + dayMs) }),
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
    async listVersions(appId) {
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
    },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
