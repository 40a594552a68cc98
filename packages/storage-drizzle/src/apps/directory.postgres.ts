import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AppDirectory } from './app-directory.js'
import { appCreatedEvent, signedInEvent } from '../audit/access-events.js'
import { apiKeyEvent } from '../audit/api-key-events.js'
import { checkedTime } from '../checked-time.js'
import { checkedLimit } from '../pages.js'
import { createAppGrants } from './grants.postgres.js'
import { createAppKeyChanges, insertKey } from './key-changes.postgres.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { apiKeys, apps } from './tables.postgres.js'

const value = sql.placeholder

/** The columns of `ApiKeyRow`. */
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
    async createApp({ appId, name, firstKey, actor }) {
      await database.transaction(async (on) => {
        await queryBuilder(on).insert(apps).values({ appId, name })
        const key = await insertKey(on, firstKey, null)
        const { createdAt } = firstKey
        await audit?.append(on, appId, () => appCreatedEvent(audit.seal, { appId, name }, createdAt.getTime()), actor)
        await audit?.append(on, appId, () => apiKeyEvent(audit.seal, 'API_KEY_ADDED', key, createdAt), actor)
      })
    },
    findApp: (appId) => database.run(async () => (await reads.findApp.execute({ appId }))[0] ?? null),
    findApiKey: (hash, now) => database.run(async () => (await reads.findKey.execute({ hash, now }))[0] ?? null),
    listApiKeys: (appIds, now) => database.run(() => reads.listKeys.execute({ appIds: [...appIds], now })),
    pageApiKeys: ({ now, after, limit }) =>
      database.run(() => {
        const page = { now: checkedTime(now), afterAppId: after?.appId ?? '', afterVersion: after?.version ?? 0 }
        return reads.pageKeys.execute({ ...page, limit: checkedLimit(limit, 10_000) })
      }),
    replaceSealedApiKey: (replacement) =>
      database.transaction(async (on) => {
        const { appId, version, former, fresh, now } = replacement
        const [key] = await queryBuilder(on)
          .update(apiKeys)
          .set({ sealed: fresh })
          .where(and(eq(apiKeys.appId, appId), eq(apiKeys.version, version), eq(apiKeys.sealed, former)))
          .returning()
        if (key === undefined) return false
        await audit?.append(on, appId, () => apiKeyEvent(audit.seal, 'API_KEY_REWRAPPED', key, now))
        return true
      }),
    recordSignIn: async (signIn) => {
      if (audit === null) return
      const about = signIn.app?.appId ?? 'operator'
      await database.transaction((on) =>
        audit.append(on, about, (nowMs) => signedInEvent(audit.seal, signIn, nowMs), signIn.actor),
      )
    },
  }
}
