import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresMigrations } from '../../../src/engine/postgres/open-migrations.js'
import { createPostgresStorage } from '../../../src/postgres/index.js'
import { startPostgres } from './postgres-server.js'

test('a start that requires migrations does not take one that ends meanwhile for an edited schema', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const connectionString = await server.createDatabase()
  const pool = new pg.Pool({ connectionString, max: 3 })
  onTestFinished(() => pool.end())
  let isMigrated = false
  /** The whole migration runs between the look at the ledger and the look at the tables. */
  async function migrate() {
    isMigrated = true
    const migrations = await openPostgresMigrations(connectionString, 'stores', null)
    await migrations.up()
    await migrations.close()
  }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const isTables = typeof args[0] === 'string' && args[0].includes('pg_catalog.pg_attribute')
      return isTables && !isMigrated ? migrate().then(() => query(...args)) : query(...args)
    }) as typeof client.query
  })
  const start = () => createPostgresStorage({ pool }, { migrations: 'require', notify: false })
  await expect(start()).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' })
  expect(isMigrated).toBe(true)
  await (await start()).close()
})
