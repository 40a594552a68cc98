import { randomBytes } from 'node:crypto'
import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { SigningKey } from '@kyc-relay/webhooks/internal'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { ApiKeyRow } from '@kyc-relay/storage-drizzle/internal'
import { sha256 } from '../sha256.js'
import { findDamaged } from './find-damaged.js'
import { openApiKey, sealApiKey, wrappingKeyIdOf } from './sealed-api-key.js'
import { pagesOfApiKeys } from './api-key-pages.js'

const dayMs = 24 * 60 * 60 * 1000

/** Most tries for a version when concurrent changes take it first. */
const mostStarts = 5

/** Error for too many concurrent changes of one app's keys. Nothing was written; a retry may work. */
class KeyVersionsContested extends Error {
  readonly code = 'KEY_VERSIONS_CONTESTED'
  readonly retryable = true
}

/** API keys of apps. A key signs webhooks, is shown once, stored sealed, and looked up by its hash. */
export interface ApiKeys {
  /** Adds an app with its first key, which signs at once. Only the result holds the clear key. */
  createApp(app: {
    readonly appId: string
    readonly name: string
    readonly actor?: AuditActor
  }): Promise<{ apiKey: string }>
  /** Finds the app of a key; null for an unknown or retired key. */
  findApp(apiKey: string): Promise<{ appId: string; version: number; state: KeyVersion['state'] } | null>
  /** Creates a key that is accepted at once. It signs after the partner activates it, or after 24 hours. */
  rotate(appId: string): Promise<{ apiKey: string; version: number; signsFrom: Date } | 'rotation_pending'>
  /** Activates the waiting key. The old key may read for 24 more hours. False when no key waits. */
  activate(appId: string): Promise<boolean>
  /** Discards the waiting key, so it never signs. False when no key waits. */
  discard(appId: string): Promise<boolean>
  /**
   * Revokes a version. Revoking the signing version also revokes older ones, and a waiting one signs from now on.
   * Without a waiting version, deliveries are held back (`UNSENT`) until a key is issued. False when the version is not
   * accepted.
   *
   * @param request `reason`: the operator's reason; null when the partner revokes.
   */
  revoke(request: { appId: string; version: number; reason: string | null; actor?: AuditActor }): Promise<boolean>
  /**
   * Creates a key for an app that lost its key; it replaces a waiting key. It signs at once if no other key signs,
   * otherwise after its activation or after 24 hours.
   */
  issue(request: {
    appId: string
    reason: string
    actor?: AuditActor
  }): Promise<{ apiKey: string; version: number; signsFrom: Date }>
  /** Returns the signing key of each app, in the order of the request; null for an app without one. */
  current(appIds: readonly string[]): Promise<readonly (SigningKey | null)[]>
  /** Returns the waiting key; null when no key waits. */
  findWaiting(appId: string): Promise<SigningKey | null>
  /** Finds damaged keys as {@link findDamaged} does. Rejects with KycError `KEY_UNKNOWN`. */
  findDamaged(verifiedKeyIds: ReadonlySet<string>): Promise<readonly Pick<ApiKeyRow, 'appId' | 'version'>[]>
  /** Returns the state of a version; null for a version that is not accepted. */
  findState(key: { readonly appId: string; readonly version: number }): Promise<KeyVersion['state'] | null>
  /** Lists accepted versions, newest first. */
  listVersions(appId: string): Promise<readonly KeyVersion[]>
}

/** Public data of one version of an API key. */
export interface KeyVersion {
  readonly version: number
  /**
   * `SIGNING` signs now, and `WAITING` signs after its activation; both have full access. `RETIRING` no longer signs,
   * and may read until `retiredAt`: a day after the next version began to sign.
   */
  readonly state: 'SIGNING' | 'WAITING' | 'RETIRING'
  readonly createdAt: Date
  readonly signsFrom: Date
  readonly retiredAt: Date | null
}

/** Creates {@link ApiKeys} over the embedded directory. The cipher of the key file seals the keys. */
export function createApiKeys(deps: {
  readonly directory: AppDirectory
  readonly cipher: PiiCipher
  readonly now: () => Date
}): ApiKeys {
  const { directory, cipher, now } = deps
  const createKey = () => `kyc_key_${randomBytes(32).toString('base64url')}`

  /**
   * Creates a key for the next version, which signs in 24 hours, and writes it with `add`. Retries when another version
   * comes first.
   */
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
    return rows.flatMap(({ version, createdAt, signsFrom, retiredAt: stored }, index): readonly KeyVersion[] => {
      const key = { version, createdAt, signsFrom, retiredAt: null }
      const next = rows[index - 1]
      if (signsFrom > at) return [{ ...key, state: 'WAITING' }]
      if (next === undefined || next.signsFrom > at) return [{ ...key, state: 'SIGNING' }]
      // Nothing is stored when the next version began to sign by itself.
      const latest = new Date(next.signsFrom.getTime() + dayMs)
      const retiredAt = stored !== null && stored < latest ? stored : latest
      return retiredAt > at ? [{ ...key, state: 'RETIRING', retiredAt }] : []
    })
  }

  const findState: ApiKeys['findState'] = async ({ appId, version }) =>
    (await listVersions(appId)).find((one) => one.version === version)?.state ?? null

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
    async findApp(apiKey) {
      const found = await directory.findApiKey(sha256(apiKey), now())
      const state = found && (await findState(found))
      return found && state && { ...found, state }
    },
    async rotate(appId) {
      const { added, ...key } = await addNext(appId, (row) => directory.addApiKey(row))
      return added === 'added' ? key : 'rotation_pending'
    },
    activate: (appId) =>
      directory.activateApiKey({ appId, now: now(), retireOldAt: new Date(now().getTime() + dayMs) }),
    discard: (appId) => directory.discardApiKey({ appId, now: now() }),
    revoke: (request) => directory.revokeApiKey({ ...request, now: now() }),
    async issue({ appId, ...why }) {
      const { apiKey, version, added } = await addNext(appId, (key) => directory.issueApiKey({ key, ...why }))
      return { apiKey, version, signsFrom: added.signsFrom }
    },
    async current(appIds) {
      const at = now()
      const keys = new Map<string, SigningKey>()
      for (const row of await directory.listApiKeys([...new Set(appIds)], at)) {
        // Newest version first: the first one whose signing time has come is in force.
        if (keys.has(row.appId) || row.signsFrom > at) continue
        keys.set(row.appId, { appId: row.appId, key: await openApiKey(cipher, row), version: row.version })
      }
      return appIds.map((appId) => keys.get(appId) ?? null)
    },
    async findWaiting(appId) {
      const at = now()
      const waiting = (await directory.listApiKeys([appId], at)).find((row) => row.signsFrom > at)
      return waiting === undefined ? null : { appId, key: await openApiKey(cipher, waiting), version: waiting.version }
    },
    findDamaged: (verifiedKeyIds) =>
      findDamaged(pagesOfApiKeys(directory, now), verifiedKeyIds, {
        wrappingKeyIdOf,
        open: (row) => openApiKey(cipher, row),
      }),
    listVersions,
    findState,
  }
}
