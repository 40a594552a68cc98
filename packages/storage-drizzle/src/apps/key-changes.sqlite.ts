import { and, desc, eq, gt, isNull, lt, lte, or, sql, type SQL } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import {
  apiKeyActivatedEvent,
  apiKeyAddedEvent,
  apiKeyDiscardedEvent,
  apiKeyIssuedEvent,
  apiKeyRevokedEvent,
} from '../audit/api-key-events.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { type DrizzleDatabase, given, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { apiKeys } from './tables.sqlite.js'

const value = sql.placeholder

function prepareStatements(db: DrizzleDatabase) {
  const ofApp = eq(apiKeys.appId, value('appId'))
  const ofVersion = and(ofApp, eq(apiKeys.version, value('version')))
  const acceptedAt = (time: string) => or(isNull(apiKeys.retiredAt), gt(apiKeys.retiredAt, value(time)))
  const newestWhere = (condition?: SQL) =>
    db
      .select({ version: apiKeys.version })
      .from(apiKeys)
      .where(and(ofApp, condition))
      .orderBy(desc(apiKeys.version))
      .limit(1)
      .prepare()
  return {
    findNewest: newestWhere(),
    findWaiting: newestWhere(and(gt(apiKeys.signsFrom, value('now')), acceptedAt('now'))),
    findSigning: newestWhere(and(lte(apiKeys.signsFrom, value('now')), acceptedAt('now'))),
    insert: db
      .insert(apiKeys)
      .values({
        appId: value('appId'),
        version: value('version'),
        hash: value('hash'),
        sealed: value('sealed'),
        createdAt: value('createdAt'),
        signsFrom: value('signsFrom'),
        retiredAt: value('retiredAt'),
        issuedReason: value('reason'),
      })
      .prepare(),
    sign: db
      .update(apiKeys)
      .set({ signsFrom: given('now') })
      .where(ofVersion)
      .prepare(),
    retireOlder: db
      .update(apiKeys)
      .set({ retiredAt: given('retiredAt') })
      .where(and(ofApp, lt(apiKeys.version, value('version')), acceptedAt('retiredAt')))
      .prepare(),
    end: db
      .update(apiKeys)
      .set({ retiredAt: given('now'), revokedReason: given('reason') })
      .where(and(ofVersion, acceptedAt('now')))
      .prepare(),
  }
}

/**
 * Creates the part of the app directory that changes API keys. Each change is one transaction with its audit entries.
 */
export function createAppKeyChanges(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly audit: AuditChain | null
}): {
  /** Inserts a key inside the caller's transaction. */
  insertKey(key: ApiKeyRow, actor?: AuditActor): void
  readonly changes: Pick<
    AppDirectory,
    'findNewestApiKeyVersion' | 'addApiKey' | 'activateApiKey' | 'discardApiKey' | 'revokeApiKey' | 'issueApiKey'
  >
} {
  const { db, commits, audit } = dependencies
  const statements = prepareStatements(db)

  const newestVersion = (appId: string) => statements.findNewest.get({ appId })?.version ?? 0

  function insert(key: ApiKeyRow, reason: string | null): void {
    const { appId, version, hash, sealed } = key
    const [createdAt, signsFrom] = [key.createdAt.getTime(), key.signsFrom.getTime()]
    const retiredAt = key.retiredAt?.getTime() ?? null
    statements.insert.run({ appId, version, hash, sealed, createdAt, signsFrom, retiredAt, reason })
  }

  function insertKey(key: ApiKeyRow, actor?: AuditActor): void {
    insert(key, null)
    audit?.append(apiKeyAddedEvent(audit.seal, key), actor)
  }

  function discardWaiting(appId: string, now: Date, actor?: AuditActor): boolean {
    const at = now.getTime()
    const version = statements.findWaiting.get({ appId, now: at })?.version
    if (version === undefined) return false
    statements.end.run({ appId, version, now: at, reason: null })
    audit?.append(apiKeyDiscardedEvent(audit.seal, { appId, version, now }), actor)
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
      revokeApiKey: ({ appId, version, now, reason, actor }) =>
        commits.write(() => {
          const at = now.getTime()
          const signing = statements.findSigning.get({ appId, now: at })?.version
          if (statements.end.run({ appId, version, now: at, reason }).changes === 0) return false
          audit?.append(apiKeyRevokedEvent(audit.seal, { appId, version, now, reason }), actor)
          if (version !== signing) return true
          // No older key signs again: it was already being retired.
          statements.retireOlder.run({ appId, version, retiredAt: at })
          const next = statements.findWaiting.get({ appId, now: at })?.version
          if (next === undefined) return true
          statements.sign.run({ appId, version: next, now: at })
          audit?.append(apiKeyActivatedEvent(audit.seal, { appId, version: next, now, retireOldAt: now }), actor)
          return true
        }),
      issueApiKey: ({ key, reason, actor }) =>
        commits.write(() => {
          const { appId, createdAt } = key
          if (key.version <= newestVersion(appId)) return 'version_taken'
          discardWaiting(appId, createdAt, actor)
          const isSigned = statements.findSigning.get({ appId, now: createdAt.getTime() }) !== undefined
          const issued = { ...key, signsFrom: isSigned ? key.signsFrom : createdAt }
          insert(issued, reason)
          audit?.append(apiKeyIssuedEvent(audit.seal, issued, reason), actor)
          return { signsFrom: issued.signsFrom }
        }),
    },
  }
}
