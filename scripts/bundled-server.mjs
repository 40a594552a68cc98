/** A server that opens its storage, for bundlers: the migrations are in the code. Only the native driver stays outside. */
export const storageServer = `import { createSqliteStorage, createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import { createLocalCipher, createKeyFile, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { randomBytes } from 'node:crypto'

export async function open(path) {
  const storage = await createSqliteStorage({ path: path + '.db' })
  const keys = parseKeyFile(createKeyFile({ randomBytes, now: new Date() }))
  const vault = await createSqliteVault({ path: path + '-vault.db' }, { cipher: createLocalCipher({ keys }) })
  await storage.tryWrite()
  await vault.close()
  await storage.close()
  return 'opened'
}

if (process.argv[2]) console.log(await open(process.argv[2]))
`
