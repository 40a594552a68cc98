import type Database from 'better-sqlite3'
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import { appCreatedEvent, signedInEvent } from '../audit/access-events.js'
import { apiKeyEvent } from '../audit/api-key-events.js'
import { checkedTime } from '../checked-time.js'
import { checkedLimit } from '../pages.js'
import { createAppGrants } from './grants.sqlite.js'
import { createAppKeyChanges } from './key-changes.sqlite.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { apiKeys, apps } from './tables.sqlite.js'

const value = sql.placeholder

/** The columns of an {@link ApiKeyRow}. */
const keyColumns = {
  appId: apiKeys.appId,
  version: apiKeys.version,
  hash: apiKeys.hash,
  sealed: apiKeys.sealed,
  createdAt: apiKeys.createdAt,
  signsFrom: apiKeys.signsFrom,
  retiredAt: apiKeys.retiredAt,
}

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
    findKey: db
      .select({ appId: apiKeys.appId, version: apiKeys.version })
      .from(apiKeys)
      .where(and(eq(apiKeys.hash, value('hash')), accepted))
      .prepare(),
    listKeys: db
      .select(keyColumns)
      .from(apiKeys)
      .where(and(sql`${apiKeys.appId} IN (SELECT value FROM json_each(${value('appIds')}))`, accepted))
      .prepare(),
    pageKeys: db
      .select(keyColumns)
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
      .returning()
      .prepare(),
  }
}

/** Creates the app directory on one SQLite connection. */
export function createAppDirectory(dependencies: {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly audit: AuditChain | null
  readonly clock: () => Date
}): AppDirectory {
  const { db, commits, audit, clock } = dependencies
  const statements = prepareStatements(db)

  const keys = createAppKeyChanges(dependencies)

  return {
    ...createAppGrants(dependencies),
    ...keys.changes,
    createApp: ({ appId, name, firstKey, actor }) =>
      commits.write(() => {
        statements.insertApp.run({ appId, name })
        audit?.append(appCreatedEvent(audit.seal, { appId, name }, firstKey.createdAt.getTime()), actor)
        keys.insertKey(firstKey, actor)
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
        const page = {
          now: checkedTime(now).getTime(),
          afterAppId: after?.appId ?? '',
          afterVersion: after?.version ?? 0,
        }
        return statements.pageKeys.all({ ...page, limit: checkedLimit(limit, 10_000) }).map(readKey)
      }),
    replaceSealedApiKey: (replacement) =>
      commits.write(() => {
        const { appId, version, former, fresh, now } = replacement
        const [key] = statements.replaceSealedKey.all({ appId, version, former, fresh })
        if (key === undefined) return false
        audit?.append(apiKeyEvent(audit.seal, 'API_KEY_REWRAPPED', key, now))
        return true
      }),
    recordSignIn: async (signIn) => {
      if (audit === null) return
      await commits.write(() => audit.append(signedInEvent(audit.seal, signIn, clock().getTime()), signIn.actor))
    },
  }
}

function readKey(row: Omit<typeof apiKeys.$inferSelect, 'issuedReason' | 'revokedReason'>): ApiKeyRow {
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
