/** Opens storage and a vault. For bundlers: the migrations are in the code, and only the native driver stays outside. */
export const openStorage = `import { createSqliteStorage, createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
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
`

/** The same as a program, whose argument is the first part of the paths of its databases. */
export const storageServer = `${openStorage}
console.log(await open(process.argv[2]))
`
