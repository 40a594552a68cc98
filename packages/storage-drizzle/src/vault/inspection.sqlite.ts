import type Database from 'better-sqlite3'
import type { KeyCheck, VaultInspection, VaultReference } from './vault-inspection.js'
import { prepare, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'

/** Creates the inspection of the vault of one SQLite connection. Opens no value. */
export function createVaultInspection(client: Database.Database, commits: GroupCommit): VaultInspection {
  const findDataKey = prepare<[appId: string, userId: string]>(
    client,
    'SELECT 1 FROM kyc_relay_vault_data_keys WHERE app_id = ? AND user_id = ?',
  )
  const findToken = prepare<[token: string, appId: string, userId: string]>(
    client,
    'SELECT 1 FROM kyc_relay_vault_tokens WHERE token = ? AND app_id = ? AND user_id = ?',
  )
  const findErasure = prepare<[appId: string, userId: string]>(
    client,
    `SELECT 1 FROM kyc_relay_vault_audit_entries WHERE kind = 'OWNER_ERASED' AND app_id = ? AND user_id = ? LIMIT 1`,
  )
  const findAnyDataKey = prepare<[]>(client, 'SELECT 1 FROM kyc_relay_vault_data_keys WHERE position > 0 LIMIT 1')
  const findNextKeyId = prepare<[after: string], { keyId: string }>(
    client,
    'SELECT key_id AS keyId FROM kyc_relay_vault_data_keys WHERE key_id > ? ORDER BY key_id LIMIT 1',
  )
  const listKeyChecks = prepare<[], KeyCheck>(
    client,
    `SELECT key_id AS keyId, purpose, check_value AS checkValue FROM kyc_relay_vault_key_checks
    WHERE key_id > '' ORDER BY key_id`,
  )
  const addKeyCheck = prepare<[keyId: string, purpose: string, checkValue: string]>(
    client,
    `INSERT INTO kyc_relay_vault_key_checks (key_id, purpose, check_value) VALUES (?, ?, ?)
    ON CONFLICT (key_id) DO NOTHING`,
  )

  function isLacking({ appId, userId, tokens }: VaultReference): boolean {
    const isWhole =
      findDataKey.get(appId, userId) !== undefined &&
      tokens.every((token) => findToken.get(token, appId, userId) !== undefined)
    return !isWhole && findErasure.get(appId, userId) === undefined
  }

  return {
    countLacking: (references) => read(() => references.filter(isLacking).length),
    isEmpty: () => read(() => findAnyDataKey.get() === undefined),
    listWrappingKeyIds: () =>
      read(() => {
        const keyIds: string[] = []
        for (;;) {
          const next = findNextKeyId.get(keyIds.at(-1) ?? '')
          if (next === undefined) return keyIds
          keyIds.push(next.keyId)
        }
      }),
    listKeyChecks: () => read(() => listKeyChecks.all()),
    addKeyChecks: (checks) =>
      commits.write(() => {
        for (const { keyId, purpose, checkValue } of checks) addKeyCheck.run(keyId, purpose, checkValue)
      }),
  }
}
