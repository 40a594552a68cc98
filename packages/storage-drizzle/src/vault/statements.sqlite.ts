import type Database from 'better-sqlite3'
import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import { type DrizzleDatabase, prepare, prepareRows } from '../engine/sqlite/statement.js'
import { dataKeys, tokens, vaultAudit } from './tables.sqlite.js'

const value = sql.placeholder

/** Prepares the statements of the vault, once per connection. Those of a submission do not use the query builder. */
export function prepareVaultStatements(client: Database.Database, db: DrizzleDatabase) {
  const keyOfOwner = and(eq(dataKeys.appId, value('appId')), eq(dataKeys.userId, value('userId')))
  return {
    findDataKey: prepareRows<[appId: string, userId: string], [position: number, keyId: string, wrapped: Buffer]>(
      client,
      'SELECT position, key_id, wrapped FROM kyc_relay_vault_data_keys WHERE app_id = ? AND user_id = ?',
    ),
    findDataKeyPosition: prepareRows<[appId: string, userId: string], [position: number]>(
      client,
      'SELECT position FROM kyc_relay_vault_data_keys WHERE app_id = ? AND user_id = ?',
    ),
    insertDataKey: prepare<[appId: string, userId: string, keyId: string, wrapped: Uint8Array, createdAt: number]>(
      client,
      `INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (app_id, user_id) DO NOTHING`,
    ),
    deleteDataKey: db.delete(dataKeys).where(keyOfOwner).returning().prepare(),
    insertToken: prepare<
      [
        ...[token: string, appId: string, userId: string, field: string],
        ...[fingerprint: Uint8Array, sealed: Uint8Array | null, createdAt: number, dataKey: number],
      ]
    >(
      client,
      `INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, sealed, created_at, data_key)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    findToken: prepare<[token: string, appId: string, userId: string], Omit<typeof tokens.$inferSelect, 'dataKey'>>(
      client,
      `SELECT position, token, app_id AS appId, user_id AS userId, field, fingerprint, sealed, created_at AS createdAt,
        quarantined_at AS quarantinedAt
      FROM kyc_relay_vault_tokens WHERE token = ? AND app_id = ? AND user_id = ?`,
    ),
    deleteTokensOfDataKey: db
      .delete(tokens)
      .where(eq(tokens.dataKey, value('position')))
      .prepare(),
    insertAudit: db
      .insert(vaultAudit)
      .values({
        at: value('at'),
        appId: value('appId'),
        userId: value('userId'),
        actor: value('actor'),
        purpose: value('purpose'),
        token: value('token'),
        recordId: value('recordId'),
        part: value('part'),
      })
      .returning({ position: vaultAudit.position })
      .prepare(),
    // Two ranges instead of `<>`, which uses no index.
    listKeysBelow: db
      .select()
      .from(dataKeys)
      .where(lt(dataKeys.keyId, value('keyId')))
      .orderBy(asc(dataKeys.keyId), asc(dataKeys.position))
      .limit(value('limit'))
      .prepare(),
    listKeysAbove: db
      .select()
      .from(dataKeys)
      .where(gt(dataKeys.keyId, value('keyId')))
      .orderBy(asc(dataKeys.keyId), asc(dataKeys.position))
      .limit(value('limit'))
      .prepare(),
    countKeysBelow: db
      .select({ count: sql<number>`count(*)` })
      .from(dataKeys)
      .where(lt(dataKeys.keyId, value('keyId')))
      .prepare(),
    countKeysAbove: db
      .select({ count: sql<number>`count(*)` })
      .from(dataKeys)
      .where(gt(dataKeys.keyId, value('keyId')))
      .prepare(),
    rewrapDataKey: db
      .update(dataKeys)
      .set({ keyId: sql`${value('keyId')}`, wrapped: sql`${value('wrapped')}` })
      .where(and(eq(dataKeys.position, value('position')), eq(dataKeys.keyId, value('formerKeyId'))))
      .prepare(),
  }
}
