import { randomBytes as cryptoRandomBytes } from 'node:crypto'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { PiiCipher } from '@kyc-relay/kyc-core'
import { checkOptions } from '../check-options.js'
import type { MigrationListeners } from '../engine/migrations/ledger.js'
import { createVault, type StoredVault } from './vault.js'
import { openAuditChain, type AuditChain } from '../audit/chain.postgres.js'
import { createAuditLog } from '../audit/log.postgres.js'
import { openConnection, type PostgresLocation } from '../engine/postgres/pool.js'
import { createDatabase } from '../engine/postgres/database.js'
import { migrate, requireMigrated } from '../engine/postgres/migrate.js'
import { createVaultRows } from './rows.postgres.js'

/** Options of {@link createPostgresVault}. */
export interface PostgresVaultOptions extends MigrationListeners {
  /** Cryptography, for example `createLocalCipher` of `@kyc-relay/kyc-core/node`. */
  readonly cipher: PiiCipher
  /**
   * Seal of the audit log. With it, the vault records each reveal, erasure and re-wrapped data key in keyed hash
   * chains, in the same transaction. Every process that opens the vault needs it then. Default: no audit log.
   */
  readonly audit?: AuditSeal
  /** Replaces the database's clock. For tests. */
  readonly clock?: () => Date
  /** Cryptographic randomness for tokens. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
  /** True if `distribute.sql` has distributed the tables over the nodes of Citus. Default: false. */
  readonly distributed?: boolean
  /** `apply` migrates at the start, `require` refuses a schema that is not up to date. Default: `apply`. */
  readonly migrations?: 'apply' | 'require'
}

/**
 * Opens the vault in a PostgreSQL database. Use a separate database. The vault seals an SSN under its owner's data key,
 * and stores only a keyed hash of a document number. It applies migrations before it resolves.
 *
 * @throws StorageError as {@link createPostgresStorage}, and `ARGUMENT_INVALID` without a cipher
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
  checkOptions(options, ['cipher'])
  const { cipher, clock, randomBytes = cryptoRandomBytes, migrations = 'apply', distributed = false } = options
  const connection = await openConnection(location)
  const { pool, close } = connection
  const database = createDatabase(pool, connection)
  // The nodes of a distributed database have a clock each.
  const instant = () => clock?.() ?? (distributed ? new Date() : null)
  let audit: AuditChain | null = null
  try {
    if (migrations === 'require') await requireMigrated(pool, 'postgres-vault', options)
    else await migrate(connection, 'postgres-vault', options)
    if (options.audit !== undefined) audit = await openAuditChain(database, 'vault', { seal: options.audit, instant })
  } catch (error) {
    await close()
    throw error
  }
  const log = audit === null ? null : createAuditLog(database, 'vault', audit.seal)
  const rows = createVaultRows({ database, instant, audit, log, close })
  const monotonicMs = clock === undefined ? () => performance.now() : () => clock().getTime()
  return createVault(rows, { cipher, randomBytes, now: () => instant() ?? new Date(), monotonicMs })
}
