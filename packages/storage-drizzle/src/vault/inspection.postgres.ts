import { sql } from 'drizzle-orm'
import type { KeyCheck, VaultInspection } from './vault-inspection.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { statement } from '../engine/postgres/statement.js'

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

const findAnyDataKey = statement<{ position: number }>(
  'vault_find_any_data_key',
  sql`SELECT position FROM kyc_relay_vault_data_keys WHERE position > 0 LIMIT 1`,
)

const findNextKeyId = statement<{ keyId: string }>(
  'vault_find_next_key_id',
  sql`
SELECT key_id AS "keyId" FROM kyc_relay_vault_data_keys WHERE key_id > ${value('after')} ORDER BY key_id LIMIT 1`,
)

const listKeyChecks = statement<KeyCheck>(
  'vault_list_key_checks',
  sql`
SELECT key_id AS "keyId", purpose, check_value AS "checkValue" FROM kyc_relay_vault_key_checks
WHERE key_id > '' ORDER BY key_id`,
)

const addKeyChecks = statement(
  'vault_add_key_checks',
  sql`
INSERT INTO kyc_relay_vault_key_checks (key_id, purpose, check_value)
SELECT * FROM unnest(${value('keyIds')}::text[], ${value('purposes')}::text[], ${value('checkValues')}::text[])
ON CONFLICT (key_id) DO NOTHING`,
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
    isEmpty: async () => (await database.run((on) => findAnyDataKey.rows(on, {}))).length === 0,
    async listWrappingKeyIds() {
      const keyIds: string[] = []
      for (;;) {
        const after = keyIds.at(-1) ?? ''
        const [next] = await database.run((on) => findNextKeyId.rows(on, { after }))
        if (next === undefined) return keyIds
        keyIds.push(next.keyId)
      }
    },
    listKeyChecks: () => database.run((on) => listKeyChecks.rows(on, {})),
    async addKeyChecks(checks) {
      await database.run((on) =>
        addKeyChecks.count(on, {
          keyIds: checks.map(({ keyId }) => keyId),
          purposes: checks.map(({ purpose }) => purpose),
          checkValues: checks.map(({ checkValue }) => checkValue),
        }),
      )
    },
  }
}
