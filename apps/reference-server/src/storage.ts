import type { PiiCipher } from '@kyc-relay/kyc-core'
import { createSqliteStorage, createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import type { Env } from './env.js'
import { StartError } from './local-start/local-files.js'

/**
 * Opens both databases of the configured engine, migrations applied: the business data and, apart from it, the vault.
 *
 * `onFailure` is called when the disk failed: what is on it is known only to the next process, which recovers it.
 */
export async function openStorage(
  env: Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl'>,
  cipher: PiiCipher,
  onFailure: () => void,
) {
  const storage = await createSqliteStorage({ path: sqlitePath(env.databaseUrl) }, { onFailure })
  const vault = await createSqliteVault({ path: sqlitePath(env.vaultDatabaseUrl) }, { cipher })
  return {
    ...storage,
    vault,
    async close() {
      await storage.close()
      await vault.close()
    },
  }
}

function sqlitePath(url: string): string {
  if (!url.startsWith('file:'))
    throw new StartError('STORAGE_UNSUPPORTED', 'DATABASE_URL and VAULT_DATABASE_URL must be file: URLs.')
  return url.slice('file:'.length)
}
