import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import { apiKeyAddedEvent, apiKeyRewrappedEvent } from '../audit/api-key-events.js'
import { checkedLimit } from '../page-cursor.js'
import { createAppGrants } from './grants.postgres.js'
import { createAppKeyChanges } from './key-changes.postgres.js'
import { asBuffer } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { statement } from '../engine/postgres/statement.js'
import { apiKeys, apps } from './tables.postgres.js'

const value = sql.placeholder

const insertApp = statement(
  'insert_app',
  sql`
WITH app AS (
  INSERT INTO kyc_relay_apps (app_id, name) VALUES (${value('appId')}, ${value('name')}) RETURNING app_id
)
INSERT INTO kyc_relay_api_keys (app_id, version, hash, sealed, created_at, signs_from, retired_at)
SELECT app.app_id, ${value('version')}::int, ${value('hash')}::bytea, ${value('sealed')}::bytea,
  ${value('createdAt')}::timestamptz, ${value('signsFrom')}::timestamptz, ${value('retiredAt')}::timestamptz
FROM app`,
)

const replaceSealedKey = statement(
  'replace_sealed_key',
  sql`
UPDATE kyc_relay_api_keys SET sealed = ${value('fresh')}::bytea
WHERE app_id = ${value('appId')} AND version = ${value('version')}::int AND sealed = ${value('former')}::bytea`,
)

/** Converts a row to {@link ApiKeyRow}. */
const selectedKey = {
  appId: apiKeys.appId,
  version: apiKeys.version,
  hash: apiKeys.hash,
  sealed: apiKeys.sealed,
  createdAt: apiKeys.createdAt,
  signsFrom: apiKeys.signsFrom,
  retiredAt: apiKeys.retiredAt,
}

function prepareReads(db: NodePgDatabase) {
  const accepted = or(isNull(apiKeys.retiredAt), gt(apiKeys.retiredAt, value('now')))
  return {
    findApp: db
      .select()
      .from(apps)
      .where(eq(apps.appId, value('appId')))
      .prepare('kyc_relay_find_app'),
    findKey: db
      .select({ appId: apiKeys.appId, version: apiKeys.version })
      .from(apiKeys)
      .where(and(eq(apiKeys.hash, value('hash')), accepted))
      .prepare('kyc_relay_find_key'),
    listKeys: db
      .select(selectedKey)
      .from(apiKeys)
      .where(and(sql`${apiKeys.appId} = ANY(${value('appIds')}::text[])`, accepted))
      .orderBy(desc(apiKeys.version), apiKeys.appId)
      .prepare('kyc_relay_list_keys'),
    pageKeys: db
      .select(selectedKey)
      .from(apiKeys)
      .where(
        and(
          sql`(${apiKeys.appId}, ${apiKeys.version}) > (${value('afterAppId')}::text, ${value('afterVersion')}::int)`,
          accepted,
        ),
      )
      .orderBy(apiKeys.appId, apiKeys.version)
      .limit(value('limit'))
      .prepare('kyc_relay_page_keys'),
  }
}

/** Creates the app directory on PostgreSQL. */
export function createAppDirectory(dependencies: {
  readonly db: NodePgDatabase
  readonly database: PostgresDatabase
  readonly audit: AuditChain | null
  readonly instant: () => Date | null
}): AppDirectory {
  const { db, database, audit } = dependencies
  const reads = prepareReads(db)
  return {
    ...createAppGrants(dependencies),
    ...createAppKeyChanges(dependencies),
    async createApp({ appId, name, firstKey }) {
      await database.transaction(async (on) => {
        await insertApp.count(on, { ...keyColumns(firstKey), appId, name })
        await audit?.append(on, appId, () => apiKeyAddedEvent(audit.seal, firstKey))
      })
    },
    findApp: (appId) => database.run(async () => (await reads.findApp.execute({ appId }))[0] ?? null),
    findApiKey: (hash, now) => database.run(async () => (await reads.findKey.execute({ hash, now }))[0] ?? null),
    listApiKeys: (appIds, now) => database.run(() => reads.listKeys.execute({ appIds: [...appIds], now })),
    pageApiKeys: ({ now, after, limit }) =>
      database.run(() => {
        const page = { now, afterAppId: after?.appId ?? '', afterVersion: after?.version ?? 0 }
        return reads.pageKeys.execute({ ...page, limit: checkedLimit(limit, 10_000) })
      }),
    replaceSealedApiKey: (replacement) =>
      database.transaction(async (on) => {
        const { appId, version, former, fresh } = replacement
        const columns = { appId, version, former: asBuffer(former), fresh: asBuffer(fresh) }
        if ((await replaceSealedKey.count(on, columns)) === 0) return false
        await audit?.append(on, appId, () => apiKeyRewrappedEvent(audit.seal, replacement))
        return true
      }),
  }
}

function keyColumns(key: ApiKeyRow) {
  return { ...key, hash: asBuffer(key.hash), sealed: asBuffer(key.sealed) }
}
