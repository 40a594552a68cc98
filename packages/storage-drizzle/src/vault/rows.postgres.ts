import { and, asc, eq, gt, inArray, lt, or, sql, type SQL } from 'drizzle-orm'
import type { AppUser, Token } from '@kyc-relay/kyc-core'
import type { PiiField } from '@kyc-relay/kyc-core/internal'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import { dataKeyRewrappedEvent, ownerErasedEvent } from '../audit/erasure-events.js'
import { revealEvent } from '../audit/recorded-content.js'
import { StorageError } from '../storage-error.js'
import type { NewTokenRow } from './sealing.js'
import type { DataKeyRow, TokenRow, VaultRows } from './vault-rows.js'
import { asBuffer, now, timeOf } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement } from '../engine/postgres/statement.js'
import { createVaultInspection } from './inspection.postgres.js'
import { createQuarantine } from './quarantine.postgres.js'
import { tryWrite } from '../engine/postgres/readiness.js'
import { dataKeys, tokens, vaultAudit } from './tables.postgres.js'
import { ownerKey } from '../owner-key.js'

const value = sql.placeholder

// The statements of a submission are compiled once.
const ofOwner = sql`user_id = ${value('userId')} AND app_id = ${value('appId')}`

interface StoredDataKey extends AppUser {
  readonly position: number
  readonly keyId: string
  readonly wrapped: Uint8Array
}

interface StoredToken {
  readonly token: Token
  readonly field: PiiField
  readonly sealed: Buffer | null
  readonly createdAt: Date
  readonly inQuarantine: boolean
}

const dataKeyColumns = sql`position, app_id AS "appId", user_id AS "userId", key_id AS "keyId", wrapped`

const findDataKey = statement<StoredDataKey>(
  'vault_find_data_key',
  sql`SELECT ${dataKeyColumns} FROM kyc_relay_vault_data_keys WHERE ${ofOwner}`,
)

const findDataKeys = statement<StoredDataKey>(
  'vault_find_data_keys',
  sql`
SELECT ${dataKeyColumns} FROM kyc_relay_vault_data_keys
JOIN unnest(${value('appIds')}::text[], ${value('userIds')}::text[]) AS given (app_id, user_id) USING (app_id, user_id)`,
)

const insertDataKey = statement<{ position: number }>(
  'vault_insert_data_key',
  sql`
INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at)
VALUES (${value('appId')}, ${value('userId')}, ${value('keyId')}, ${value('wrapped')}, ${now})
ON CONFLICT (user_id, app_id) DO NOTHING
RETURNING position`,
)

/** Blocks the destruction of the data key until the rows sealed under it are visible. They are then erased with it. */
const lockDataKey = statement<{ position: number }>(
  'vault_lock_data_key',
  sql`SELECT position FROM kyc_relay_vault_data_keys WHERE ${ofOwner} AND position = ${value('position')} FOR SHARE`,
)

const insertTokens = statement(
  'vault_insert_tokens',
  sql`
INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, sealed, created_at, data_key)
SELECT t.token, ${value('appId')}::text, ${value('userId')}::text, t.field, t.fingerprint, t.sealed, ${now},
  ${value('position')}::bigint
FROM unnest(
  ${value('tokens')}::text[], ${value('fields')}::text[], ${value('fingerprints')}::bytea[], ${value('sealed')}::bytea[]
) WITH ORDINALITY AS t (token, field, fingerprint, sealed, ordinal)
ORDER BY t.ordinal`,
)

const findTokens = statement<StoredToken>(
  'vault_find_tokens',
  sql`
SELECT token, field, sealed, created_at AS "createdAt", quarantined_at IS NOT NULL AS "inQuarantine"
FROM kyc_relay_vault_tokens
WHERE ${ofOwner} AND token = ANY(${value('tokens')}::text[])`,
)

const isOwnedBy = (table: typeof dataKeys, { appId, userId }: AppUser) =>
  and(eq(table.userId, userId), eq(table.appId, appId))

/** Creates the vault's rows on PostgreSQL. */
export function createVaultRows(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the vault's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
  /** Reader of the audit log. */
  readonly log: AuditLog | null
  readonly close: () => Promise<void>
}): VaultRows {
  const { database, instant, audit, log, close } = dependencies

  async function findAll({ appId, userId }: AppUser, asked: readonly string[]): Promise<ReadonlyMap<string, TokenRow>> {
    const rows = await database.run((on) => findTokens.rows(on, { appId, userId, tokens: [...asked] }))
    return new Map(rows.map((row) => [row.token, readToken(row)]))
  }

  return {
    audit: log,
    inspection: createVaultInspection(database, audit),
    async findDataKey({ appId, userId }) {
      const [row] = await database.run((on) => findDataKey.rows(on, { appId, userId }))
      return row === undefined ? null : readDataKey(row)
    },
    async findDataKeys(owners) {
      const given = { appIds: owners.map(({ appId }) => appId), userIds: owners.map(({ userId }) => userId) }
      const rows = await database.run((on) => findDataKeys.rows(on, given))
      const found = new Map(rows.map((row) => [ownerKey(row), readDataKey(row)]))
      return owners.map((owner) => found.get(ownerKey(owner)) ?? null)
    },
    insertDataKeyAndTokens({ appId, userId }, { keyId, bytes }, rows) {
      const now = instant()
      return database.transaction(async (on) => {
        const values = { appId, userId, keyId, wrapped: asBuffer(bytes), now }
        // Waits for a concurrent first key of the owner.
        const [key] = await insertDataKey.rows(on, values)
        if (key === undefined) return false
        await insertTokens.count(on, { appId, userId, position: key.position, ...columnsOf(rows), now })
        return true
      })
    },
    insertTokens({ appId, userId }, position, rows) {
      const now = instant()
      return database.transaction(async (on) => {
        const [key] = await lockDataKey.rows(on, { appId, userId, position })
        if (key === undefined) return false
        await insertTokens.count(on, { appId, userId, position, ...columnsOf(rows), now })
        return true
      })
    },
    findToken: async (owner, token) => (await findAll(owner, [token])).get(token) ?? null,
    async findTokens(owner, asked) {
      const found = await findAll(owner, asked)
      return asked.map((token) => found.get(token) ?? null)
    },
    async insertAudit({ owner: { appId, userId }, actor, purpose }, subject) {
      const row = { token: null, recordId: null, part: null, ...subject, appId, userId, actor, purpose }
      await database.transaction(async (on) => {
        const [written] = await queryBuilder(on)
          .insert(vaultAudit)
          .values({ ...row, at: timeOf(instant()) })
          .returning({ position: vaultAudit.position, at: vaultAudit.at })
        if (written === undefined) throw new StorageError('STORE_UNAVAILABLE')
        const reveal = { ...row, atMs: written.at.getTime() }
        await audit?.append(on, userId, () => revealEvent(audit.seal, written.position, reveal))
      })
    },
    deleteOwner: ({ appId, userId }) =>
      database.transaction(async (on) => {
        // Deletes the key first: its lock waits for running tokenizations, so that their rows are visible and deleted
        // too.
        const query = queryBuilder(on)
        const owner = { appId, userId }
        const keys = await query.delete(dataKeys).where(isOwnedBy(dataKeys, owner)).returning()
        const positions = keys.map(({ position }) => position)
        const { rowCount } = await query
          .delete(tokens)
          .where(and(eq(tokens.userId, userId), inArray(tokens.dataKey, positions)))
        const erased = {
          tokens: rowCount ?? 0,
          dataKeys: keys.map(({ keyId, wrapped }) => ({ keyId, bytes: wrapped })),
        }
        if (erased.tokens + keys.length > 0) {
          await audit?.append(on, userId, (nowMs) => ownerErasedEvent(audit.seal, owner, nowMs, erased))
        }
        return erased
      }),
    ...createQuarantine({ database, instant, audit }),
    listDataKeysNotUnder: (keyId, limit) =>
      database.run(async (on) => {
        // Two ranges instead of `<>`, which uses no index.
        const list = (range: SQL, most: number) =>
          queryBuilder(on)
            .select()
            .from(dataKeys)
            .where(range)
            .orderBy(asc(dataKeys.keyId), asc(dataKeys.position))
            .limit(most)
        const below = await list(lt(dataKeys.keyId, keyId), limit)
        const above = await list(gt(dataKeys.keyId, keyId), limit - below.length)
        return [...below, ...above].map(readDataKey)
      }),
    countDataKeysNotUnder: (keyId) =>
      database.run((on) => queryBuilder(on).$count(dataKeys, or(lt(dataKeys.keyId, keyId), gt(dataKeys.keyId, keyId)))),
    replaceDataKey: (former, fresh) =>
      database.transaction(async (on) => {
        const { position, dataKey, userId } = former
        const { rowCount } = await queryBuilder(on)
          .update(dataKeys)
          .set({ keyId: fresh.keyId, wrapped: fresh.bytes })
          .where(and(isOwnedBy(dataKeys, former), eq(dataKeys.position, position), eq(dataKeys.keyId, dataKey.keyId)))
        if (rowCount === 0) return false
        await audit?.append(on, userId, (nowMs) => dataKeyRewrappedEvent(audit.seal, former, nowMs, fresh))
        return true
      }),
    tryWrite: () => tryWrite(database, 'vault'),
    close,
  }
}

function readDataKey({ position, appId, userId, keyId, wrapped }: StoredDataKey): DataKeyRow {
  return { position, appId, userId, dataKey: { keyId, bytes: new Uint8Array(wrapped) } }
}

function readToken({ token, field, sealed, createdAt, inQuarantine }: StoredToken): TokenRow {
  return { token, field, sealed: sealed === null ? null : new Uint8Array(sealed), createdAt, inQuarantine }
}

function columnsOf(rows: readonly NewTokenRow[]) {
  return {
    tokens: rows.map(({ token }) => token),
    fields: rows.map(({ field }) => field),
    fingerprints: rows.map(({ fingerprint }) => asBuffer(fingerprint)),
    sealed: rows.map(({ sealed }) => (sealed === null ? null : asBuffer(sealed))),
  }
}
