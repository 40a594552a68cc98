import { randomBytes as cryptoRandomBytes } from 'node:crypto'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { AppUser, PiiCipher } from '@kyc-relay/kyc-core'
import { createVault, type StoredVault } from '../vault/vault.js'
import type { DataKeyRow, TokenRow, VaultRows } from '../vault/vault-rows.js'
import { assertDurable, openConnection, type SqliteLocation } from './connection.js'
import { migrate, requireMigrated } from './migrate.js'
import { read } from './read.js'
import { createSharedCommits } from './shared-commits.js'
import type { dataKeys, tokens } from './tables/vault.js'
import { prepareVaultStatements } from './vault-statements.js'

/** What {@link createSqliteVault} works with. */
export interface SqliteVaultOptions {
  /** The cryptography, for example `createLocalCipher` of `@kyc-relay/kyc-core/node`. */
  readonly cipher: PiiCipher
  /** Default: the system clock. */
  readonly clock?: () => Date
  /** Cryptographic randomness for tokens. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
  /** `apply` migrates at the start, `require` refuses a schema that is not up to date. Default: `apply`. */
  readonly migrations?: 'apply' | 'require'
}

/**
 * Opens the vault: a file of its own, in which an SSN is sealed under its owner's data key and a document number is
 * only a keyed hash. Migrations are applied before it resolves.
 *
 * @throws StorageError `SCHEMA_NEWER`, `SCHEMA_EDITED`, `SCHEMA_OUTDATED`, `STORE_UNAVAILABLE`,
 *   `DURABILITY_NOT_GUARANTEED`
 *
 * @example
 * ```ts
 * import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
 * import { createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export function openVault(keyFile: string) {
 *   const cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
 *   return createSqliteVault({ path: 'data/vault.db' }, { cipher })
 * }
 * ```
 */
export function createSqliteVault(location: SqliteLocation, options: SqliteVaultOptions): Promise<StoredVault> {
  const { cipher, randomBytes = cryptoRandomBytes } = options
  return new Promise((resolve) => resolve(createVault(openRows(location, options), { cipher, randomBytes })))
}

function openRows(location: SqliteLocation, options: SqliteVaultOptions): VaultRows {
  const { clock = () => new Date(), migrations = 'apply' } = options
  const { client, close } = openConnection(location)
  try {
    if (migrations === 'require') requireMigrated(client, 'sqlite-vault')
    migrate(client, 'sqlite-vault', clock)
    assertDurable(client)
  } catch (error) {
    close()
    throw error
  }
  const statements = prepareVaultStatements(client, drizzle({ client }))
  const commits = createSharedCommits(client)

  /** What was erased is also out of the WAL then, unless a reader of another process holds it up. */
  function emptyWal(): void {
    if (!client.memory && !client.inTransaction) client.pragma('wal_checkpoint(TRUNCATE)')
  }

  function findDataKey({ appId, userId }: AppUser): DataKeyRow | null {
    const row = statements.findDataKey.get(appId, userId)
    return row === undefined ? null : readDataKey(row)
  }

  function findToken({ appId, userId }: AppUser, token: string): TokenRow | null {
    const row = statements.findToken.get(token, appId, userId)
    return row === undefined ? null : readToken(row)
  }

  return {
    findDataKey: (owner) => read(() => findDataKey(owner)),
    insertDataKey: ({ appId, userId }, { keyId, bytes }) =>
      commits.write(() => {
        statements.insertDataKey.run({ appId, userId, keyId, wrapped: bytes, createdAt: clock().getTime() })
      }),
    insertTokens: (owner, dataKeyPosition, rows) =>
      commits.write(() => {
        if (findDataKey(owner)?.position !== dataKeyPosition) return false
        const { appId, userId } = owner
        const createdAt = clock().getTime()
        for (const { token, field, fingerprint, sealed } of rows) {
          statements.insertToken.run(token, appId, userId, field, fingerprint, sealed, createdAt)
        }
        return true
      }),
    findToken: (owner, token) => read(() => findToken(owner, token)),
    findTokens: (owner, asked) => read(() => asked.map((token) => findToken(owner, token))),
    insertAudit: ({ owner, actor, purpose }, subject) =>
      commits.write(() => {
        const looked = { token: null, recordId: null, part: null, ...subject }
        const { appId, userId } = owner
        statements.insertAudit.run({ at: clock().getTime(), appId, userId, actor, purpose, ...looked })
      }),
    async deleteOwner({ appId, userId }) {
      const deleted = await commits.write(() => ({
        tokens: statements.deleteTokensOfOwner.run({ appId, userId }).changes,
        dataKeys: statements.deleteDataKey.all({ appId, userId }).map((row) => readDataKey(row).dataKey),
      }))
      emptyWal()
      return deleted
    },
    async deleteTokens(erased) {
      await commits.write(() => {
        for (const token of erased) statements.deleteToken.run({ token })
      })
      emptyWal()
    },
    listOlderThan: ({ ageMs, limit, after }) =>
      read(() => {
        const start = after === undefined ? undefined : statements.findAge.get({ token: after })
        const { createdAt: afterCreatedAt, position: afterPosition } = start ?? { createdAt: -1, position: -1 }
        const page = { before: clock().getTime() - ageMs, afterCreatedAt, afterPosition, limit }
        return statements.listOlder.all(page).map(({ token }) => token)
      }),
    listDataKeysNotUnder: (keyId, limit) =>
      read(() => {
        const below = statements.listKeysBelow.all({ keyId, limit })
        const above = statements.listKeysAbove.all({ keyId, limit })
        return [...below, ...above].slice(0, limit).map(readDataKey)
      }),
    countDataKeysNotUnder: (keyId) =>
      read(() => {
        const counts = [statements.countKeysBelow.get({ keyId }), statements.countKeysAbove.get({ keyId })]
        return counts.reduce((sum, row) => sum + (row?.count ?? 0), 0)
      }),
    replaceDataKey: ({ position, dataKey }, { keyId, bytes }) =>
      commits.write(() => {
        const fresh = { position, formerKeyId: dataKey.keyId, keyId, wrapped: bytes }
        return statements.rewrapDataKey.run(fresh).changes === 1
      }),
    close: () =>
      read(() => {
        commits.close()
        close()
      }),
  }
}

function readDataKey(row: typeof dataKeys.$inferSelect): DataKeyRow {
  const { position, appId, userId, keyId, wrapped } = row
  return { position, appId, userId, dataKey: { keyId, bytes: new Uint8Array(wrapped) } }
}

function readToken({ token, field, sealed, createdAt }: typeof tokens.$inferSelect): TokenRow {
  return {
    token,
    field,
    sealed: sealed === null ? null : new Uint8Array(sealed),
    createdAt: new Date(createdAt),
  }
}
