import { randomBytes as cryptoRandomBytes } from 'node:crypto'
import type { PiiCipher } from '@kyc-relay/kyc-core'
import { createVault, type StoredVault } from '../vault/vault.js'
import { openConnection, type PostgresLocation } from './connection.js'
import { createDatabase } from './database.js'
import { migrate, requireMigrated } from './migrate.js'
import { createVaultRows } from './vault-rows.js'

/** What {@link createPostgresVault} works with. */
export interface PostgresVaultOptions {
  /** The cryptography, for example `createLocalCipher` of `@kyc-relay/kyc-core/node`. */
  readonly cipher: PiiCipher
  /** Replaces the database's clock: for tests. */
  readonly clock?: () => Date
  /** Cryptographic randomness for tokens. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
  /** `apply` migrates at the start, `require` refuses a schema that is not up to date. Default: `apply`. */
  readonly migrations?: 'apply' | 'require'
}

/**
 * Opens the vault in a PostgreSQL database, best one of its own: an SSN is sealed under its owner's data key and a
 * document number is only a keyed hash. Migrations are applied before it resolves.
 *
 * @throws StorageError `SCHEMA_NEWER`, `SCHEMA_EDITED`, `SCHEMA_OUTDATED`, `STORE_UNAVAILABLE`,
 *   `DURABILITY_NOT_GUARANTEED`
 *
 * @example
 * ```ts
 * import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
 * import { createPostgresVault } from '@kyc-relay/storage-drizzle/postgres'
 *
 * export function openVault(keyFile: string) {
 *   const cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
 *   return createPostgresVault({ connectionString: 'postgres://vault@localhost/vault' }, { cipher })
 * }
 * ```
 */
export async function createPostgresVault(
  location: PostgresLocation,
  options: PostgresVaultOptions,
): Promise<StoredVault> {
  const { cipher, clock, randomBytes = cryptoRandomBytes, migrations = 'apply' } = options
  const { pool, clientConfig, close } = await openConnection(location)
  try {
    if (migrations === 'require') await requireMigrated(pool, 'postgres-vault')
    else await migrate(clientConfig, 'postgres-vault')
  } catch (error) {
    await close()
    throw error
  }
  const rows = createVaultRows({ database: createDatabase(pool), instant: () => clock?.() ?? null, close })
  return createVault(rows, { cipher, randomBytes })
}
