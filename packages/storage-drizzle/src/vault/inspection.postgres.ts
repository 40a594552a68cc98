import { gt, sql } from 'drizzle-orm'
import type { VaultInspection } from './vault-inspection.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement } from '../engine/postgres/statement.js'
import { dataKeys, keyChecks } from './tables.postgres.js'

const value = sql.placeholder

// Scalar subqueries instead of EXISTS: PostgreSQL may plan EXISTS as a hash of the whole other table.
const countLacking = statement<{ count: number }>(
  'vault_count_lacking',
  sql`
SELECT count(DISTINCT record) AS count FROM unnest(
  ${value('records')}::int[], ${value('appIds')}::text[], ${value('userIds')}::text[], ${value('tokens')}::text[]
) AS wanted (record, app_id, user_id, token)
WHERE (
  (
    SELECT k.position FROM kyc_relay_vault_data_keys k
    WHERE k.app_id = wanted.app_id AND k.user_id = wanted.user_id
  ) IS NULL OR wanted.token IS NOT NULL AND (
    SELECT t.position FROM kyc_relay_vault_tokens t
    WHERE t.token = wanted.token AND t.app_id = wanted.app_id AND t.user_id = wanted.user_id
  ) IS NULL
) AND (
  SELECT e.sequence FROM kyc_relay_vault_audit_entries e
  WHERE e.kind = 'OWNER_ERASED' AND e.app_id = wanted.app_id AND e.user_id = wanted.user_id LIMIT 1
) IS NULL`,
)

/** Creates the inspection of the vault of one database. Opens no value. */
export function createVaultInspection(database: PostgresDatabase): VaultInspection {
  return {
    async countLacking(references) {
      // A record without tokens is checked only by its owner's data key.
      const wanted = references.flatMap(({ appId, userId, tokens }, record) =>
        (tokens.length === 0 ? [null] : tokens).map((token) => ({ record, appId, userId, token })),
      )
      const values = {
        records: wanted.map(({ record }) => record),
        appIds: wanted.map(({ appId }) => appId),
        userIds: wanted.map(({ userId }) => userId),
        tokens: wanted.map(({ token }) => token),
      }
      return (await database.run((on) => countLacking.rows(on, values)))[0]?.count ?? 0
    },
    isEmpty: () =>
      database.run(async (on) => {
        const { position } = dataKeys
        const query = queryBuilder(on)
        return (await query.select({ position }).from(dataKeys).where(gt(position, 0)).limit(1)).length === 0
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
