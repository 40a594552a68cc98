import { and, desc, eq, gt, isNull, lt, lte, or, sql, type SQL } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import { apiKeyEvent } from '../audit/api-key-events.js'
import type { StoredApiKey } from '../audit/access-rows.js'
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
      .returning()
      .prepare(),
    sign: db
      .update(apiKeys)
      .set({ signsFrom: given('now') })
      .where(ofVersion)
      .returning()
      .prepare(),
    retireOlder: db
      .update(apiKeys)
      .set({ retiredAt: given('retiredAt') })
      .where(and(ofApp, lt(apiKeys.version, value('version')), acceptedAt('retiredAt')))
      .returning()
      .prepare(),
    end: db
      .update(apiKeys)
      .set({ retiredAt: given('now'), revokedReason: given('reason') })
      .where(and(ofVersion, acceptedAt('now')))
      .returning()
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

  /** Writes one entry for each changed key. */
  function record(
    kind: Parameters<typeof apiKeyEvent>[1],
    rows: readonly StoredApiKey[],
    at: Date,
    actor?: AuditActor,
  ): void {
    for (const row of [...rows].sort((one, other) => one.version - other.version)) {
      audit?.append(apiKeyEvent(audit.seal, kind, row, at), actor)
    }
  }

  function insert(key: ApiKeyRow, reason: string | null): StoredApiKey {
    const { appId, version, hash, sealed } = key
    const [createdAt, signsFrom] = [key.createdAt.getTime(), key.signsFrom.getTime()]
    const retiredAt = key.retiredAt?.getTime() ?? null
    return statements.insert.get({ appId, version, hash, sealed, createdAt, signsFrom, retiredAt, reason })
  }

  function insertKey(key: ApiKeyRow, actor?: AuditActor): void {
    record('API_KEY_ADDED', [insert(key, null)], key.createdAt, actor)
  }

  function discardWaiting(appId: string, now: Date, actor?: AuditActor): boolean {
    const at = now.getTime()
    const version = statements.findWaiting.get({ appId, now: at })?.version
    if (version === undefined) return false
    record('API_KEY_DISCARDED', statements.end.all({ appId, version, now: at, reason: null }), now, actor)
    return true
  }

  /** Lets a waiting version sign, and retires older ones. */
  function activate(
    { appId, version, now }: { readonly appId: string; readonly version: number; readonly now: Date },
    retireOldAt: Date,
    actor?: AuditActor,
  ): void {
    record('API_KEY_ACTIVATED', statements.sign.all({ appId, version, now: now.getTime() }), now, actor)
    retireOlder({ appId, version, now }, retireOldAt, actor)
  }

  function retireOlder(
    { appId, version, now }: { readonly appId: string; readonly version: number; readonly now: Date },
    retiredAt: Date,
    actor?: AuditActor,
  ): void {
    const retired = statements.retireOlder.all({ appId, version, retiredAt: retiredAt.getTime() })
    record('API_KEY_RETIRED', retired, now, actor)
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
          const { appId, now, retireOldAt } = request
          const version = statements.findWaiting.get({ appId, now: now.getTime() })?.version
          if (version === undefined) return false
          activate({ appId, version, now }, retireOldAt)
          return true
        }),
      discardApiKey: ({ appId, now }) => commits.write(() => discardWaiting(appId, now)),
      revokeApiKey: ({ appId, version, now, reason, actor }) =>
        commits.write(() => {
          const at = now.getTime()
          const signing = statements.findSigning.get({ appId, now: at })?.version
          const ended = statements.end.all({ appId, version, now: at, reason })
          if (ended.length === 0) return false
          record('API_KEY_REVOKED', ended, now, actor)
          if (version !== signing) return true
          // No older key signs again: it was already being retired.
          retireOlder({ appId, version, now }, now, actor)
          const next = statements.findWaiting.get({ appId, now: at })?.version
          if (next !== undefined) activate({ appId, version: next, now }, now, actor)
          return true
        }),
      issueApiKey: ({ key, reason, actor }) =>
        commits.write(() => {
          const { appId, createdAt } = key
          if (key.version <= newestVersion(appId)) return 'version_taken'
          discardWaiting(appId, createdAt, actor)
          const isSigned = statements.findSigning.get({ appId, now: createdAt.getTime() }) !== undefined
          const issued = { ...key, signsFrom: isSigned ? key.signsFrom : createdAt }
          record('API_KEY_ISSUED', [insert(issued, reason)], createdAt, actor)
          return { signsFrom: issued.signsFrom }
        }),
    },
  }
}
