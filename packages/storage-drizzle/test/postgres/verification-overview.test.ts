import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { verificationOverviewCases } from '../verification-overview-cases.js'
import { emptyTables, startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
let connectionString: string
beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
})
afterAll(() => server.stop())
beforeEach(() => emptyTables(connectionString))

test.each(verificationOverviewCases)('the overview of verifications $name', async ({ run }) => {
  const storage = await createPostgresStorage({ connectionString })
  try {
    await run(storage)
  } finally {
    await storage.close()
  }
})
