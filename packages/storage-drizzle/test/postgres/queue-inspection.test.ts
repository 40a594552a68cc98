import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { queueInspectionCases } from '../queue-inspection-cases.js'
import { startOfTests } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
let connectionString: string
beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
})
afterAll(() => server.stop())
beforeEach(() => emptyTables(connectionString))

test.each(queueInspectionCases)('the queue inspection $name', async ({ run }) => {
  let now = startOfTests.getTime()
  const storage = await createPostgresStorage({ connectionString }, { clock: () => new Date(now) })
  try {
    await run({ ...storage, advance: (ms) => void (now += ms) })
  } finally {
    await storage.close()
  }
})
