import { gt, sql } from 'drizzle-orm'
import type { AppUser, OwnedToken } from '@kyc-relay/kyc-core'
import { checkedLimit } from '../pages.js'
import type { SharedValue, VaultInspection } from './vault-inspection.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import { duplicatesListedEvent } from '../audit/export-events.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement } from '../engine/postgres/statement.js'
import { dataKeys, keyChecks } from './tables.postgres.js'

const value = sql.placeholder

const findKeyOwners = statement<AppUser>(
  'vault_find_key_owners',
  sql`
SELECT stored.app_id AS "appId", stored.user_id AS "userId"
FROM unnest(${value('appIds')}::text[], ${value('userIds')}::text[]) AS wanted (app_id, user_id)
JOIN kyc_relay_vault_data_keys AS stored USING (user_id, app_id)`,
)

const findOwnedTokens = statement<OwnedToken>(
  'vault_find_owned_tokens',
  sql`
SELECT stored.app_id AS "appId", stored.user_id AS "userId", stored.token
FROM unnest(${value('appIds')}::text[], ${value('userIds')}::text[], ${value('tokens')}::text[])
  AS wanted (app_id, user_id, token)
JOIN kyc_relay_vault_tokens AS stored USING (user_id, token, app_id)`,
)

const findErasedOwners = statement<AppUser>(
  'vault_find_erased_owners',
  sql`
SELECT DISTINCT entry.app_id AS "appId", entry.user_id AS "userId"
FROM unnest(${value('appIds')}::text[], ${value('userIds')}::text[]) AS wanted (app_id, user_id)
JOIN kyc_relay_vault_audit_entries AS entry USING (user_id, app_id)
WHERE entry.kind = 'OWNER_ERASED'`,
)

const findErasure = statement<{ at: Date | null }>(
  'vault_find_erasure',
  sql`
SELECT max(at) AS at FROM kyc_relay_vault_audit_entries
WHERE kind = 'OWNER_ERASED' AND user_id = ${value('userId')} AND app_id = ${value('appId')}`,
)

const listAppsOfUser = statement<{ appId: string }>(
  'vault_list_apps_of_user',
  sql`SELECT app_id AS "appId" FROM kyc_relay_vault_data_keys WHERE user_id = ${value('userId')} ORDER BY app_id`,
)

const listShared = statement<SharedValue>(
  'vault_list_shared',
  sql`
SELECT field, array_agg(DISTINCT user_id) AS "userIds"
FROM kyc_relay_vault_tokens WHERE app_id = ${value('appId')}
GROUP BY field, fingerprint
HAVING count(DISTINCT user_id) > 1
ORDER BY min(token) LIMIT ${value('limit')}::int OFFSET ${value('skip')}::int`,
)

const ownerKey = ({ appId, userId }: AppUser, token = '') => JSON.stringify([appId, userId, token])

function ownersOf(rows: readonly AppUser[]) {
  return { appIds: rows.map(({ appId }) => appId), userIds: rows.map(({ userId }) => userId) }
}

/** Creates the inspection of the vault of one database. Opens no value. */
export function createVaultInspection(database: PostgresDatabase, audit: AuditChain | null): VaultInspection {
  return {
    async countLacking(references) {
      if (references.length === 0) return 0
      const owned = references.flatMap(({ appId, userId, tokens }) => tokens.map((token) => ({ appId, userId, token })))
      const found = await database.run(async (on) => {
        const keys = await findKeyOwners.rows(on, ownersOf(references))
        const tokens = owned.map(({ token }) => token)
        const kept = await findOwnedTokens.rows(on, { ...ownersOf(owned), tokens })
        return new Set([...keys.map((key) => ownerKey(key)), ...kept.map((row) => ownerKey(row, row.token))])
      })
      // A record without tokens is checked only by its owner's data key.
      const lacking = references.filter(
        (reference) => !['', ...reference.tokens].every((token) => found.has(ownerKey(reference, token))),
      )
      if (lacking.length === 0) return 0
      const erased = await database.run((on) => findErasedOwners.rows(on, ownersOf(lacking)))
      const gone = new Set(erased.map((owner) => ownerKey(owner)))
      return lacking.filter((reference) => !gone.has(ownerKey(reference))).length
    },
    findErasure: ({ appId, userId }) =>
      database.run(async (on) => (await findErasure.rows(on, { appId, userId }))[0]?.at ?? null),
    listAppsOfUser: (userId) =>
      database.run(async (on) => (await listAppsOfUser.rows(on, { userId })).map(({ appId }) => appId)),
    async listShared({ appId, skip, limit, actor }) {
      const page = { appId, skip, limit: checkedLimit(limit) }
      if (audit !== null) {
        await database.transaction((on) =>
          audit.append(on, appId, (nowMs) => duplicatesListedEvent(audit.seal, page, nowMs), actor),
        )
      }
      const rows = await database.run((on) => listShared.rows(on, page))
      return rows.map(({ field, userIds }) => ({ field, userIds: [...userIds].sort() }))
    },
    isEmpty: () =>
      database.run(async (on) => {
        const { userId } = dataKeys
        const query = queryBuilder(on)
        return (await query.select({ userId }).from(dataKeys).where(gt(userId, '')).limit(1)).length === 0
      }),
    listWrappingKeyIds: () =>
      database.run(async (on) => {
        const { keyId } = dataKeys
        const keyIds: string[] = []
        for (;;) {
          const after = gt(keyId, keyIds.at(-1) ?? '')
          const [next] = await queryBuilder(on).select({ keyId }).from(dataKeys).where(after).orderBy(keyId).limit(1)
          if (next === undefined) return keyIds
          keyIds.push(next.keyId)
        }
      }),
    listKeyChecks: () =>
      database.run((on) =>
        queryBuilder(on).select().from(keyChecks).where(gt(keyChecks.keyId, '')).orderBy(keyChecks.keyId),
      ),
    async addKeyChecks(checks) {
      if (checks.length === 0) return
      await database.run((on) =>
        queryBuilder(on)
          .insert(keyChecks)
          .values([...checks])
          .onConflictDoNothing(),
      )
    },
  }
}
