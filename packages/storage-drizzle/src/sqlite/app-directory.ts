import type Database from 'better-sqlite3'
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { ApiKeyRow, AppDirectory } from '../app-directory.js'
import { apiKeyActivatedEvent, apiKeyAddedEvent, apiKeyRewrappedEvent } from '../audit/api-key-events.js'
import { checkedLimit } from '../page-cursor.js'
import { createAppGrants } from './app-grants.js'
import type { AuditChain } from './audit-chain.js'
import type { DrizzleDatabase } from './drizzle-database.js'
import { read } from './read.js'
import type { SharedCommits } from './shared-commits.js'
import { apiKeys, apps } from './tables/apps.js'

const value = sql.placeholder

function prepareStatements(db: DrizzleDatabase) {
  const accepted = or(isNull(apiKeys.retiredAt), gt(apiKeys.retiredAt, value('now')))
  return {
    insertApp: db
      .insert(apps)
      .values({ appId: value('appId'), name: value('name') })
      .prepare(),
    findApp: db
      .select()
      .from(apps)
      .where(eq(apps.appId, value('appId')))
      .prepare(),
    insertKey: db
      .insert(apiKeys)
      .values({
        appId: value('appId'),
        version: value('version'),
        hash: value('hash'),
        sealed: value('sealed'),
        createdAt: value('createdAt'),
        signsFrom: value('signsFrom'),
        retiredAt: value('retiredAt'),
      })
      .prepare(),
    findKey: db
      .select({ appId: apiKeys.appId, version: apiKeys.version })
      .from(apiKeys)
      .where(and(eq(apiKeys.hash, value('hash')), accepted))
      .prepare(),
    listKeys: db
      .select()
      .from(apiKeys)
      .where(and(sql`${apiKeys.appId} IN (SELECT value FROM json_each(${value('appIds')}))`, accepted))
      .prepare(),
    pageKeys: db
      .select()
      .from(apiKeys)
      .where(
        and(sql`(${apiKeys.appId}, ${apiKeys.version}) > (${value('afterAppId')}, ${value('afterVersion')})`, accepted),
      )
      .orderBy(apiKeys.appId, apiKeys.version)
      .limit(value('limit'))
      .prepare(),
    replaceSealedKey: db
      .update(apiKeys)
      .set({ sealed: sql`${value('fresh')}` })
      .where(
        and(
          eq(apiKeys.appId, value('appId')),
          eq(apiKeys.version, value('version')),
          eq(apiKeys.sealed, value('former')),
        ),
      )
      .prepare(),
    findWaitingKey: db
      .select({ version: apiKeys.version })
      .from(apiKeys)
      .where(and(eq(apiKeys.appId, value('appId')), gt(apiKeys.signsFrom, value('now')), accepted))
      .orderBy(desc(apiKeys.version))
      .limit(1)
      .prepare(),
    activateKey: db
      .update(apiKeys)
      .set({ signsFrom: sql`${value('now')}` })
      .where(and(eq(apiKeys.appId, value('appId')), eq(apiKeys.version, value('version'))))
      .prepare(),
    retireOlderKeys: db
      .update(apiKeys)
      .set({ retiredAt: sql`${value('retireOldAt')}` })
      .where(
        and(
          eq(apiKeys.appId, value('appId')),
          sql`${apiKeys.version} < ${value('version')}`,
          or(isNull(apiKeys.retiredAt), gt(apiKeys.retiredAt, value('retireOldAt'))),
        ),
      )
      .prepare(),
  }
}

/** The embedded app directory on one SQLite connection. */
export function createAppDirectory(dependencies: {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
  readonly commits: SharedCommits
  readonly audit: AuditChain | null
  readonly clock: () => Date
}): AppDirectory {
  const { db, commits, audit } = dependencies
  const statements = prepareStatements(db)

  function insertKey(key: ApiKeyRow): void {
    statements.insertKey.run({
      ...key,
      createdAt: key.createdAt.getTime(),
      signsFrom: key.signsFrom.getTime(),
      retiredAt: key.retiredAt?.getTime() ?? null,
    })
    audit?.append(apiKeyAddedEvent(audit.seal, key))
  }

  return {
    ...createAppGrants(dependencies),
    createApp: ({ appId, name, firstKey }) =>
      commits.write(() => {
        statements.insertApp.run({ appId, name })
        insertKey(firstKey)
      }),
    findApp: (appId) => read(() => statements.findApp.get({ appId }) ?? null),
    findApiKey: (hash, now) => read(() => statements.findKey.get({ hash, now: now.getTime() }) ?? null),
    listApiKeys: (appIds, now) =>
      read(() =>
        statements.listKeys
          .all({ appIds: JSON.stringify(appIds), now: now.getTime() })
          .map(readKey)
          .sort(newestVersionFirst),
      ),
    pageApiKeys: ({ now, after, limit }) =>
      read(() => {
        const page = { now: now.getTime(), afterAppId: after?.appId ?? '', afterVersion: after?.version ?? 0 }
        return statements.pageKeys.all({ ...page, limit: checkedLimit(limit, 10_000) }).map(readKey)
      }),
    replaceSealedApiKey: (replacement) =>
      commits.write(() => {
        const { appId, version, former, fresh } = replacement
        if (statements.replaceSealedKey.run({ appId, version, former, fresh }).changes === 0) return false
        audit?.append(apiKeyRewrappedEvent(audit.seal, replacement))
        return true
      }),
    addApiKey: (key) =>
      commits.write(() => {
        const waiting = statements.findWaitingKey.get({ appId: key.appId, now: key.createdAt.getTime() })
        if (waiting !== undefined) return 'rotation_pending'
        insertKey(key)
        return 'added'
      }),
    activateApiKey: (request) =>
      commits.write(() => {
        const { appId } = request
        const now = request.now.getTime()
        const version = statements.findWaitingKey.get({ appId, now })?.version
        if (version === undefined) return false
        statements.activateKey.run({ appId, version, now })
        statements.retireOlderKeys.run({ appId, version, retireOldAt: request.retireOldAt.getTime() })
        audit?.append(apiKeyActivatedEvent(audit.seal, { ...request, version }))
        return true
      }),
  }
}

function readKey(row: typeof apiKeys.$inferSelect): ApiKeyRow {
  return {
    appId: row.appId,
    version: row.version,
    hash: new Uint8Array(row.hash),
    sealed: new Uint8Array(row.sealed),
    createdAt: new Date(row.createdAt),
    signsFrom: new Date(row.signsFrom),
    retiredAt: row.retiredAt === null ? null : new Date(row.retiredAt),
  }
}

function newestVersionFirst(one: ApiKeyRow, other: ApiKeyRow): number {
  return other.version - one.version || (one.appId < other.appId ? -1 : 1)
}
