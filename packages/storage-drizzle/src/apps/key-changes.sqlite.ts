import type Database from 'better-sqlite3'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import {
  apiKeyActivatedEvent,
  apiKeyAddedEvent,
  apiKeyDiscardedEvent,
  apiKeyIssuedEvent,
  apiKeyRevokedEvent,
} from '../audit/api-key-events.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { prepare, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'

function prepareStatements(client: Database.Database) {
  const accepted = '(retired_at IS NULL OR retired_at > :now)'
  type AtNow = [{ readonly appId: string; readonly now: number }]
  type Version = { readonly version: number }
  return {
    newestVersion: prepare<[{ readonly appId: string }], Version>(
      client,
      'SELECT coalesce(max(version), 0) AS version FROM kyc_relay_api_keys WHERE app_id = :appId',
    ),
    findWaiting: prepare<AtNow, Version>(
      client,
      `SELECT version FROM kyc_relay_api_keys
       WHERE app_id = :appId AND signs_from > :now AND ${accepted} ORDER BY version DESC LIMIT 1`,
    ),
    findSigning: prepare<AtNow, Version>(
      client,
      `SELECT version FROM kyc_relay_api_keys
       WHERE app_id = :appId AND signs_from <= :now AND ${accepted} ORDER BY version DESC LIMIT 1`,
    ),
    insert: prepare<
      [
        Pick<ApiKeyRow, 'appId' | 'version' | 'hash' | 'sealed'> & {
          readonly createdAt: number
          readonly signsFrom: number
          readonly retiredAt: number | null
          readonly reason: string | null
        },
      ]
    >(
      client,
      `INSERT INTO kyc_relay_api_keys
         (app_id, version, hash, sealed, created_at, signs_from, retired_at, issued_reason)
       VALUES (:appId, :version, :hash, :sealed, :createdAt, :signsFrom, :retiredAt, :reason)`,
    ),
    sign: prepare<[{ readonly appId: string; readonly version: number; readonly now: number }]>(
      client,
      'UPDATE kyc_relay_api_keys SET signs_from = :now WHERE app_id = :appId AND version = :version',
    ),
    retireOlder: prepare<[{ readonly appId: string; readonly version: number; readonly retiredAt: number }]>(
      client,
      `UPDATE kyc_relay_api_keys SET retired_at = :retiredAt
       WHERE app_id = :appId AND version < :version AND (retired_at IS NULL OR retired_at > :retiredAt)`,
    ),
    end: prepare<
      [{ readonly appId: string; readonly version: number; readonly now: number; readonly reason: string | null }]
    >(
      client,
      `UPDATE kyc_relay_api_keys SET retired_at = :now, revoked_reason = :reason
       WHERE app_id = :appId AND version = :version AND ${accepted}`,
    ),
  }
}

/**
 * Creates the part of the app directory that changes API keys. Each change is one transaction with its audit entries.
 */
export function createAppKeyChanges(dependencies: {
  readonly client: Database.Database
  readonly commits: GroupCommit
  readonly audit: AuditChain | null
}): {
  /** Inserts a key inside the caller's transaction. */
  insertKey(key: ApiKeyRow): void
  readonly changes: Pick<
    AppDirectory,
    'findNewestApiKeyVersion' | 'addApiKey' | 'activateApiKey' | 'discardApiKey' | 'revokeApiKey' | 'issueApiKey'
  >
} {
  const { client, commits, audit } = dependencies
  const statements = prepareStatements(client)

  const newestVersion = (appId: string) => statements.newestVersion.get({ appId })?.version ?? 0

  function insert(key: ApiKeyRow, reason: string | null): void {
    const { appId, version, hash, sealed } = key
    const [createdAt, signsFrom] = [key.createdAt.getTime(), key.signsFrom.getTime()]
    const retiredAt = key.retiredAt?.getTime() ?? null
    statements.insert.run({ appId, version, hash, sealed, createdAt, signsFrom, retiredAt, reason })
  }

  function insertKey(key: ApiKeyRow): void {
    insert(key, null)
    audit?.append(apiKeyAddedEvent(audit.seal, key))
  }

  function discardWaiting(appId: string, now: Date): boolean {
    const at = now.getTime()
    const version = statements.findWaiting.get({ appId, now: at })?.version
    if (version === undefined) return false
    statements.end.run({ appId, version, now: at, reason: null })
    audit?.append(apiKeyDiscardedEvent(audit.seal, { appId, version, now }))
    return true
  }

  return {
    insertKey,
    changes: {
      findNewestApiKeyVersion: (appId) => read(() => newestVersion(appId)),
      addApiKey: (key) =>
        commits.write(() => {
          const { appId } = key
          if (statements.findWaiting.get({ appId, now: key.createdAt.getTime() })) return 'rotation_pending'
          if (key.version <= newestVersion(appId)) return 'version_taken'
          insertKey(key)
          return 'added'
        }),
      activateApiKey: (request) =>
        commits.write(() => {
          const { appId } = request
          const now = request.now.getTime()
          const version = statements.findWaiting.get({ appId, now })?.version
          if (version === undefined) return false
          statements.sign.run({ appId, version, now })
          statements.retireOlder.run({ appId, version, retiredAt: request.retireOldAt.getTime() })
          audit?.append(apiKeyActivatedEvent(audit.seal, { ...request, version }))
          return true
        }),
      discardApiKey: ({ appId, now }) => commits.write(() => discardWaiting(appId, now)),
      revokeApiKey: ({ appId, version, now, reason }) =>
        commits.write(() => {
          const at = now.getTime()
          const signing = statements.findSigning.get({ appId, now: at })?.version
          if (statements.end.run({ appId, version, now: at, reason }).changes === 0) return false
          audit?.append(apiKeyRevokedEvent(audit.seal, { appId, version, now, reason }))
          if (version !== signing) return true
          // No older key signs again: it was already being retired.
          statements.retireOlder.run({ appId, version, retiredAt: at })
          const next = statements.findWaiting.get({ appId, now: at })?.version
          if (next === undefined) return true
          statements.sign.run({ appId, version: next, now: at })
          audit?.append(apiKeyActivatedEvent(audit.seal, { appId, version: next, now, retireOldAt: now }))
          return true
        }),
      issueApiKey: ({ key, reason }) =>
        commits.write(() => {
          const { appId, createdAt } = key
          if (key.version <= newestVersion(appId)) return 'version_taken'
          discardWaiting(appId, createdAt)
          const isSigned = statements.findSigning.get({ appId, now: createdAt.getTime() }) !== undefined
          const issued = { ...key, signsFrom: isSigned ? key.signsFrom : createdAt }
          insert(issued, reason)
          audit?.append(apiKeyIssuedEvent(audit.seal, issued, reason))
          return { signsFrom: issued.signsFrom }
        }),
    },
  }
}
