import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { startPostgres } from '../engine/postgres/postgres-server.js'
import { submission } from '../samples.js'

const rows = sql`SELECT erasable_key AS key FROM kyc_relay_verifications`

test('the keys that an erasure destroys come from the randomness that is given, on both engines', async () => {
  const asked: number[] = []
  const randomBytes = (size: number) => {
    asked.push(size)
    return new Uint8Array(size).fill(asked.length)
  }
  const sqlite = await createSqliteStorage({ path: ':memory:' }, { randomBytes })
  await sqlite.verifications.record(submission('first'))
  const onSqlite = await sqlite.database.read((db) => db.all<{ key: Buffer }>(rows))
  await sqlite.close()
  const server = await startPostgres()
  const postgres = await createPostgresStorage({ connectionString: await server.createDatabase() }, { randomBytes })
  await postgres.verifications.record(submission('first'))
  const onPostgres = await postgres.database.read((db) => db.execute<{ key: Buffer }>(rows))
  await postgres.close()
  await server.stop()
  expect(asked).toEqual([32, 32])
  expect(onSqlite.map(({ key }) => key)).toEqual([Buffer.alloc(32, 1)])
  expect(onPostgres.rows.map(({ key }) => key)).toEqual([Buffer.alloc(32, 2)])
})

test('randomness of another length is refused, and nothing is recorded', async () => {
  const sqlite = await createSqliteStorage({ path: ':memory:' }, { randomBytes: () => new Uint8Array(16) })
  const first = submission('first')
  await expect(sqlite.verifications.record(first)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  expect(await sqlite.verifications.findExisting(first.key)).toBeNull()
  await sqlite.close()
})
