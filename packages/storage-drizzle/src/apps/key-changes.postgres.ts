import { sql } from 'drizzle-orm'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import {
  apiKeyActivatedEvent,
  apiKeyAddedEvent,
  apiKeyDiscardedEvent,
  apiKeyIssuedEvent,
  apiKeyRevokedEvent,
} from '../audit/api-key-events.js'
import { asBuffer } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'

const value = sql.placeholder
const now = sql`${value('now')}::timestamptz`
const ofApp = sql`app_id = ${value('appId')}`
const ofVersion = sql`${ofApp} AND version = ${value('version')}::int`
const accepted = sql`(retired_at IS NULL OR retired_at > ${now})`

interface Version {
  readonly version: number
}

/** Serialises concurrent changes of one app's keys. */
const lockApp = statement('lock_app', sql`SELECT FROM kyc_relay_apps WHERE ${ofApp} FOR NO KEY UPDATE`)

const findNewestVersion = statement<Version>(
  'find_newest_key_version',
  sql`SELECT coalesce(max(version), 0) AS version FROM kyc_relay_api_keys WHERE ${ofApp}`,
)

const findWaitingKey = statement<Version>(
  'find_waiting_key',
  sql`
SELECT version FROM kyc_relay_api_keys
WHERE ${ofApp} AND signs_from > ${now} AND ${accepted} ORDER BY version DESC LIMIT 1`,
)

const findSigningKey = statement<Version>(
  'find_signing_key',
  sql`
SELECT version FROM kyc_relay_api_keys
WHERE ${ofApp} AND signs_from <= ${now} AND ${accepted} ORDER BY version DESC LIMIT 1`,
)

const insertKey = statement(
  'insert_key',
  sql`
INSERT INTO kyc_relay_api_keys (app_id, version, hash, sealed, created_at, signs_from, retired_at, issued_reason)
VALUES (${value('appId')}, ${value('version')}, ${value('hash')}, ${value('sealed')}, ${value('createdAt')},
  ${value('signsFrom')}, ${value('retiredAt')}, ${value('reason')})`,
)

const signWithKey = statement(
  'sign_with_key',
  sql`UPDATE kyc_relay_api_keys SET signs_from = ${now} WHERE ${ofVersion}`,
)

const retireOlderKeys = statement(
  'retire_older_keys',
  sql`
UPDATE kyc_relay_api_keys SET retired_at = ${value('retiredAt')}::timestamptz
WHERE ${ofApp} AND version < ${value('version')}::int
  AND (retired_at IS NULL OR retired_at > ${value('retiredAt')}::timestamptz)`,
)

const endKey = statement(
  'end_key',
  sql`
UPDATE kyc_relay_api_keys SET retired_at = ${now}, revoked_reason = ${value('reason')}
WHERE ${ofVersion} AND ${accepted}`,
)

type AtNow = { readonly appId: string; readonly now: Date }

/**
 * Creates the part of the app directory that changes API keys. Each change is one transaction with its audit entries.
 */
export function createAppKeyChanges(dependencies: {
  readonly database: PostgresDatabase
  readonly audit: AuditChain | null
}): Pick<
  AppDirectory,
  'findNewestApiKeyVersion' | 'addApiKey' | 'activateApiKey' | 'discardApiKey' | 'revokeApiKey' | 'issueApiKey'
> {
  const { database, audit } = dependencies

  const newestVersion = async (on: Queryable, appId: string) =>
    (await findNewestVersion.rows(on, { appId }))[0]?.version ?? 0
  const waitingVersion = async (on: Queryable, { appId, now }: AtNow) =>
    (await findWaitingKey.rows(on, { appId, now }))[0]?.version
  const signingVersion = async (on: Queryable, { appId, now }: AtNow) =>
    (await findSigningKey.rows(on, { appId, now }))[0]?.version

  /** Runs a change of one app's keys under the lock. */
  const change = <T>(appId: string, work: (on: Queryable) => Promise<T>): Promise<T> =>
    database.transaction(async (on) => {
      await lockApp.count(on, { appId })
      return work(on)
    })

  const insert = (on: Queryable, key: ApiKeyRow, reason: string | null) =>
    insertKey.count(on, { ...key, hash: asBuffer(key.hash), sealed: asBuffer(key.sealed), reason })

  async function discardWaiting(on: Queryable, { appId, now }: AtNow): Promise<boolean> {
    const version = await waitingVersion(on, { appId, now })
    if (version === undefined) return false
    await endKey.count(on, { appId, version, now, reason: null })
    await audit?.append(on, appId, () => apiKeyDiscardedEvent(audit.seal, { appId, version, now }))
    return true
  }

  return {
    findNewestApiKeyVersion: (appId) => database.run((on) => newestVersion(on, appId)),
    addApiKey: (key) =>
      change(key.appId, async (on) => {
        if ((await waitingVersion(on, { appId: key.appId, now: key.createdAt })) !== undefined)
          return 'rotation_pending'
        if (key.version <= (await newestVersion(on, key.appId))) return 'version_taken'
        await insert(on, key, null)
        await audit?.append(on, key.appId, () => apiKeyAddedEvent(audit.seal, key))
        return 'added'
      }),
    activateApiKey: (request) =>
      change(request.appId, async (on) => {
        const version = await waitingVersion(on, request)
        if (version === undefined) return false
        const { appId, now } = request
        await signWithKey.count(on, { appId, version, now })
        await retireOlderKeys.count(on, { appId, version, retiredAt: request.retireOldAt })
        await audit?.append(on, appId, () => apiKeyActivatedEvent(audit.seal, { ...request, version }))
        return true
      }),
    discardApiKey: (request) => change(request.appId, (on) => discardWaiting(on, request)),
    revokeApiKey: (request) =>
      change(request.appId, async (on) => {
        const { appId, version, now } = request
        const signing = await signingVersion(on, request)
        if ((await endKey.count(on, request)) === 0) return false
        const next = version === signing ? await waitingVersion(on, request) : undefined
        // No older key signs again: it was already being retired.
        if (version === signing) await retireOlderKeys.count(on, { appId, version, retiredAt: now })
        if (next !== undefined) await signWithKey.count(on, { appId, version: next, now })
        await audit?.append(on, appId, () => apiKeyRevokedEvent(audit.seal, request))
        if (next === undefined) return true
        const activated = { appId, version: next, now, retireOldAt: now }
        await audit?.append(on, appId, () => apiKeyActivatedEvent(audit.seal, activated))
        return true
      }),
    issueApiKey: ({ key, reason }) =>
      change(key.appId, async (on) => {
        const at = { appId: key.appId, now: key.createdAt }
        if (key.version <= (await newestVersion(on, key.appId))) return 'version_taken'
        await discardWaiting(on, at)
        const signing = await signingVersion(on, at)
        const issued = { ...key, signsFrom: signing === undefined ? key.createdAt : key.signsFrom }
        await insert(on, issued, reason)
        await audit?.append(on, key.appId, () => apiKeyIssuedEvent(audit.seal, issued, reason))
        return { signsFrom: issued.signsFrom }
      }),
  }
}
