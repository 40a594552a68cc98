import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import { StorageError, type MigrationListeners } from '@kyc-relay/storage-drizzle/internal'
import type { PiiCipher } from '@kyc-relay/kyc-core'
import { createRandomPool } from '@kyc-relay/kyc-core/node'
import type { AuditLogName } from '@kyc-relay/kyc-core/internal'
import type { DatabaseSettings, Env } from '../env.js'
import { errorFields } from '../operations/log.js'
import { findSwap } from '../start/swapped-databases.js'
import { checkDriver, installedDriverVersion } from '../start/sqlite-driver.js'
import { StartError } from '../start/start-error.js'
import { ownTables } from '../storage/server-stores.js'

// Loads only the configured engines, which keeps every start short.
const sqlite = async () => {
  checkDriver(process.version, installedDriverVersion())
  return import('@kyc-relay/storage-drizzle/sqlite')
}
const postgres = () => import('@kyc-relay/storage-drizzle/postgres')
const serverOnSqlite = () => import('../storage/sqlite/index.js')
const serverOnPostgres = () => import('../storage/postgres/index.js')

/** Both open databases. */
export type Storage = Awaited<ReturnType<typeof openStorage>>

/**
 * Opens both databases on their configured engines and applies migrations: the business data, and separately the vault.
 *
 * `onFailure` is called once when the disk or a file failed. The next process recovers all commits.
 */
export async function openStorage(
  env: Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl'> &
    Partial<Pick<Env, 'sqliteCheckUpToBytes' | 'databases' | 'kycStatusEvents'>>,
  keys: { readonly cipher: PiiCipher; readonly audit: AuditSeal },
  onFailure: (failure: StoreFailure) => void,
  listenersFor: (database: AuditLogName) => MigrationListeners = () => ({}),
) {
  let failed = false
  const filesOf = (setting: StoreFailure['setting']): SqliteFiles => ({
    ...(env.sqliteCheckUpToBytes === undefined ? {} : { checkUpToBytes: env.sqliteCheckUpToBytes }),
    onFailure({ code }) {
      if (failed) return
      failed = true
      onFailure({ code, setting })
    },
  })
  const opening = openBusinessData(env, keys.audit, filesOf('DATABASE_URL'), listenersFor('stores'))
  const storage = await opening.catch(refusalNaming('DATABASE_URL', env))
  try {
    const opening = openVault(env, keys, filesOf('VAULT_DATABASE_URL'), listenersFor('vault'))
    const vault = await opening.catch(refusalNaming('VAULT_DATABASE_URL', env))
    return {
      ...storage,
      vault,
      async close() {
        await storage.close()
        await vault.close()
      },
    }
  } catch (error) {
    await storage.close()
    throw error
  }
}

type Urls = Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl'>

/**
 * Adds the setting to an error of opening: both databases have the same error texts. Of a file it names the default too,
 * because the setting may be absent.
 */
function refusalNaming(setting: StoreFailure['setting'], urls: Urls) {
  const [url, file] = setting === 'DATABASE_URL' ? [urls.databaseUrl, 'kyc.db'] : [urls.vaultDatabaseUrl, 'vault.db']
  const variable = sqlitePath(url) === null ? setting : `${setting} (default: ${file} in DATA_DIR)`
  return (error: unknown): never => {
    if (!(error instanceof StorageError)) throw error
    const { code, driverCode = '' } = errorFields(error)
    const isLocked = sqlitePath(url) !== null && code === 'STORE_UNAVAILABLE' && !driverCode.includes('FULL')
    const engine = sqlitePath(url) === null ? 'postgres' : 'sqlite'
    const text =
      code === 'SCHEMA_OUTDATED'
        ? `The database needs migrations. Run kyc-relay-migrate ${migrateArguments(setting, engine)}, or set DATABASE_MIGRATIONS=apply.`
        : (fileProblems[driverCode] ?? (isLocked ? notWritable : error.message))
    throw new StartError('DATABASE_NOT_OPENED', `${variable}: ${text}${codesOf(error)}`)
  }
}

/** Arguments that migrate all tables of a database of this server. `up` alone would leave out those of the portal. */
const migrateArguments = (setting: StoreFailure['setting'], engine: 'sqlite' | 'postgres') =>
  setting === 'DATABASE_URL' ? `up --own-tables portal_=apps/reference-server/migrations/${engine}` : 'up --vault'

const noRight =
  'The user of this process has no right to read and write the database file, the files beside it and its folder.'

/** Texts for a file that cannot be opened, by the code of the system or of Node. */
const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'The folder of the database file does not exist. Create it, or correct the setting.',
  ENOTDIR: 'A part of the path is a file. Correct the setting.',
  EISDIR: 'The path names a folder. Set it to a file in it.',
  EACCES: noRight,
  EPERM: noRight,
  EROFS: 'The file system of the database file is read-only.',
  ERR_DLOPEN_FAILED: 'The installed better-sqlite3 does not load in this Node. Install again with this Node: npm ci',
}

const notWritable =
  'The database file cannot be written. Another process locks it, its file system is read-only, or the user of this process has no right to write it or a file beside it, such as -shm.'

/** Formats the store's code, its cause and the driver's code in brackets: an operator finds them in the pages. */
function codesOf(error: unknown): string {
  const { code, cause, driverCode } = errorFields(error)
  return ` (${[code, cause, driverCode].filter((one) => one !== undefined).join(', ')})`
}

/** Options of both databases for failing files. */
interface SqliteFiles {
  readonly checkUpToBytes?: number
  readonly onFailure: (error: { readonly code: string }) => void
}

/** A failed database file, which refuses writes. */
export interface StoreFailure {
  /** `STORE_FAILED`, or `FILES_REPLACED`. */
  readonly code: string
  /** The failed database. */
  readonly setting: 'DATABASE_URL' | 'VAULT_DATABASE_URL'
}

type DatabaseEnv = Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl'> & Partial<Pick<Env, 'databases' | 'kycStatusEvents'>>

const defaults: DatabaseSettings = {
  maxConnections: 10,
  vaultMaxConnections: 10,
  notify: true,
  migrations: 'apply',
  transactionPooler: false,
  distributed: false,
}

async function openBusinessData(
  { databaseUrl: url, databases = defaults, kycStatusEvents = false }: DatabaseEnv,
  audit: AuditSeal,
  files: SqliteFiles,
  listeners: MigrationListeners,
) {
  const path = sqlitePath(url)
  const { migrations, maxConnections, notify, transactionPooler, distributed } = databases
  const options = { audit, randomBytes: createRandomPool(), migrations, kycStatusEvents, ...listeners }
  if (path !== null) {
    const { createSqliteStorage } = await sqlite()
    const storage = await createSqliteStorage({ path }, { ...options, ...files, ownTables: ownTables('sqlite') })
    const acquireWorkerLock = () =>
      storage.acquireWorkerLock().catch((error: unknown) => {
        if (errorFields(error).code === 'WORKER_LOCKED') throw error
        return refusalNaming('DATABASE_URL', { databaseUrl: url, vaultDatabaseUrl: '' })(error)
      })
    return { ...storage, ...(await serverOnSqlite()).createServerStores(storage.database), acquireWorkerLock }
  }
  const location = { connectionString: url, maxConnections, transactionPooler }
  const { createPostgresStorage } = await postgres()
  const onPostgres = { ...options, notify, distributed, ownTables: ownTables('postgres') }
  const storage = await createPostgresStorage(location, onPostgres)
  // PostgreSQL needs no worker lock: any number of workers share the database with row locks.
  const acquireWorkerLock = () => Promise.resolve({ release: () => Promise.resolve() })
  const ownStores = (await serverOnPostgres()).createServerStores(storage.database, undefined, { distributed })
  return { ...storage, ...ownStores, acquireWorkerLock }
}

async function openVault(
  { vaultDatabaseUrl: url, databases = defaults }: DatabaseEnv,
  { cipher, audit }: { readonly cipher: PiiCipher; readonly audit: AuditSeal },
  files: SqliteFiles,
  listeners: MigrationListeners,
) {
  const path = sqlitePath(url)
  const { migrations, vaultMaxConnections: maxConnections, transactionPooler, distributed } = databases
  const options = { cipher, audit, randomBytes: createRandomPool(), migrations, ...listeners }
  if (path !== null) return (await sqlite()).createSqliteVault({ path }, { ...options, ...files })
  const location = { connectionString: url, maxConnections, transactionPooler }
  return (await postgres()).createPostgresVault(location, { ...options, distributed })
}

/**
 * Reads what both databases hold, before they are opened: whether one holds values that only an existing key file opens.
 * Writes nothing.
 *
 * @throws StartError also for a vault as the business database, and the reverse: each would get the tables of the other,
 *   and look new.
 */
export async function inspectDatabases(env: DatabaseEnv): Promise<{ readonly needKeys: boolean }> {
  const transactionPooler = env.databases?.transactionPooler ?? false
  const inspect = async (setting: StoreFailure['setting'], url: string) => {
    const path = sqlitePath(url)
    const inspecting =
      path === null
        ? postgres().then((engine) => engine.inspectPostgresDatabase({ connectionString: url, transactionPooler }))
        : sqlite().then((engine) => engine.inspectSqliteDatabase({ path }))
    return inspecting.catch(refusalNaming(setting, env))
  }
  const inspectBoth = async () => ({
    business: await inspect('DATABASE_URL', env.databaseUrl),
    vault: await inspect('VAULT_DATABASE_URL', env.vaultDatabaseUrl),
  })
  let { business, vault } = await inspectBoth()
  // Another first start on one database for both may have created tables between the two inspections.
  if (findSwap({ business, vault }) !== null) ({ business, vault } = await inspectBoth())
  const swap = findSwap({ business, vault })
  if (swap !== null) throw swap
  return { needKeys: business.needsKeys || vault.needsKeys }
}

/** Opens one audit log for reading, on a separate connection. */
export async function openAuditLog(
  url: string,
  options: { readonly log: AuditLogName; readonly seal: AuditSeal },
  transactionPooler: boolean,
) {
  const path = sqlitePath(url)
  if (path !== null) return (await sqlite()).openSqliteAuditLog({ path }, options)
  return (await postgres()).openPostgresAuditLog({ connectionString: url, transactionPooler }, options)
}

/** Checks whether one of the databases is a file. */
export function usesSqlite({ databaseUrl, vaultDatabaseUrl }: Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl'>): boolean {
  return [databaseUrl, vaultDatabaseUrl].some((url) => sqlitePath(url) !== null)
}

/** Checks whether one of the databases is on a server. */
export function usesPostgres({
  databaseUrl,
  vaultDatabaseUrl,
}: Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl'>): boolean {
  return [databaseUrl, vaultDatabaseUrl].some((url) => sqlitePath(url) === null)
}

/** Returns the path of a `file:` URL; null for PostgreSQL. */
function sqlitePath(url: string): string | null {
  return url.startsWith('file:') ? url.slice('file:'.length) : null
}
