import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ApiKeyRow, AppDirectory } from '../app-directory.js'
import { apiKeyActivatedEvent, apiKeyAddedEvent, apiKeyRewrappedEvent } from '../audit/api-key-events.js'
import { checkedLimit } from '../page-cursor.js'
import { createAppGrants } from './app-grants.js'
import { asBuffer } from './as-buffer.js'
import type { AuditChain } from './audit-chain.js'
import type { PostgresDatabase } from './database.js'
import { statement } from './statement.js'
import { apiKeys, apps } from './tables/apps.js'

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

/** Holds concurrent rotations of one app apart. */
const lockApp = statement(
  'lock_app',
  sql`SELECT FROM kyc_relay_apps WHERE app_id = ${value('appId')} FOR NO KEY UPDATE`,
)

const findWaitingKey = statement<{ version: number }>(
  'find_waiting_key',
  sql`
SELECT version FROM kyc_relay_api_keys
WHERE app_id = ${value('appId')} AND signs_from > ${value('now')}::timestamptz
  AND (retired_at IS NULL OR retired_at > ${value('now')}::timestamptz)
ORDER BY version DESC LIMIT 1`,
)

const insertKey = statement(
  'insert_key',
  sql`
INSERT INTO kyc_relay_api_keys (app_id, version, hash, sealed, created_at, signs_from, retired_at)
VALUES (${value('appId')}, ${value('version')}, ${value('hash')}, ${value('sealed')}, ${value('createdAt')},
  ${value('signsFrom')}, ${value('retiredAt')})`,
)

const activateKey = statement(
  'activate_key',
  sql`
WITH activated AS (
  UPDATE kyc_relay_api_keys SET signs_from = ${value('now')}::timestamptz
  WHERE app_id = ${value('appId')} AND version = ${value('version')}::int
)
UPDATE kyc_relay_api_keys SET retired_at = ${value('retireOldAt')}::timestamptz
WHERE app_id = ${value('appId')} AND version < ${value('version')}::int
  AND (retired_at IS NULL OR retired_at > ${value('retireOldAt')}::timestamptz)`,
)

const replaceSealedKey = statement(
  'replace_sealed_key',
  sql`
UPDATE kyc_relay_api_keys SET sealed = ${value('fresh')}::bytea
WHERE app_id = ${value('appId')} AND version = ${value('version')}::int AND sealed = ${value('former')}::bytea`,
)

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
      .select()
      .from(apiKeys)
      .where(and(sql`${apiKeys.appId} = ANY(${value('appIds')}::text[])`, accepted))
      .orderBy(desc(apiKeys.version), apiKeys.appId)
      .prepare('kyc_relay_list_keys'),
    pageKeys: db
      .select()
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

/** The embedded app directory on PostgreSQL. */
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
    addApiKey: (key) =>
      database.transaction(async (on) => {
        await lockApp.count(on, { appId: key.appId })
        const [waiting] = await findWaitingKey.rows(on, { appId: key.appId, now: key.createdAt })
        if (waiting !== undefined) return 'rotation_pending'
        await insertKey.count(on, keyColumns(key))
        await audit?.append(on, key.appId, () => apiKeyAddedEvent(audit.seal, key))
        return 'added'
      }),
    activateApiKey: (request) =>
      database.transaction(async (on) => {
        await lockApp.count(on, { appId: request.appId })
        const [waiting] = await findWaitingKey.rows(on, request)
        if (waiting === undefined) return false
        const { version } = waiting
        await activateKey.count(on, { ...request, version })
        await audit?.append(on, request.appId, () => apiKeyActivatedEvent(audit.seal, { ...request, version }))
        return true
      }),
  }
}

function keyColumns(key: ApiKeyRow) {
  return { ...key, hash: asBuffer(key.hash), sealed: asBuffer(key.sealed) }
}
