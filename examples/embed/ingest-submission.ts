import { randomUUID } from 'node:crypto'
import { createIngestion, type AppUser } from '@kyc-relay/kyc-core'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createSqliteStorage, createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'

/**
 * Ingestion in your own server, with two SQLite files in `folder`. `keyFile` is the text that `createKeyFile` made once.
 * Only this key opens the data. Keep a backup, away from the databases.
 */
export async function openIngestion(folder: string, keyFile: string) {
  const storage = await createSqliteStorage({ path: `${folder}/kyc.db` })
  const cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
  const vault = await createSqliteVault({ path: `${folder}/vault.db` }, { cipher })
  const { ingestSubmission } = createIngestion({
    verifications: storage.verifications,
    tokenizer: vault,
    now: () => new Date(),
    newId: randomUUID,
  })
  return {
    submit: (user: AppUser, input: unknown) => ingestSubmission(user, input),
    kycStatus: (user: AppUser) => storage.verifications.findKycStatus(user.userId),
    close: () => Promise.all([storage.close(), vault.close()]),
  }
}
