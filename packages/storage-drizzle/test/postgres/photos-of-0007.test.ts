import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPool } from '../../src/engine/postgres/pool.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { migrate } from '../../src/engine/postgres/migrate.js'
import {
  owner,
  photoIdOf,
  photosOf0007,
  photosSeen,
  recordedAtMs,
  sortedById,
  verificationId,
  verificationOf0007,
} from '../photos-of-0007.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const at = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms) : null)

test('photos of a database of 0007 are kept, seen as they stand, and can be refused', async () => {
  const connectionString = await server.createDatabase()
  const untilThen = migrate(connectPool({ connectionString }), 'postgres', {
    onMigration: ({ number, state }) => {
      if (number === 8 && state === 'applying') throw new Error('here')
    },
  })
  await expect(untilThen).rejects.toThrow()
  const client = new pg.Client({ connectionString })
  await client.connect()
  const names = Object.keys(verificationOf0007)
  const values = names.map((_, index) => `$${index + 1}`)
  const instant = `'${new Date(recordedAtMs).toISOString()}'`
  await client.query(
    `INSERT INTO kyc_relay_verifications (${names.join()}, decisioned_at, recorded_at, payload_digest, sealed_details)
     VALUES (${values.join()}, ${instant}, ${instant}, '\\x00', '\\x00')`,
    Object.values(verificationOf0007),
  )
  for (const [index, row] of photosOf0007.entries()) {
    await client.query(
      `INSERT INTO kyc_relay_photo_jobs VALUES ($1, $2, 'front', '\\x07', $3, $4, ${instant}, $5, $6, $7, $8)`,
      [
        ...[photoIdOf(index), verificationId, row.state, row.attemptsMade],
        ...[at(row.dueAtMs), row.lease?.token ?? null, at(row.lease?.untilMs), at(row.endedAtMs)],
      ],
    )
  }
  await client.end()

  const storage = await createPostgresStorage({ connectionString }, { clock: () => new Date(recordedAtMs) })
  expect(sortedById(await storage.photoJobs.listPhotos(owner, verificationId))).toEqual(photosSeen)
  const { claimed } = await storage.photoJobs.claimDue({ limit: 5, leaseMs: 60_000 })
  expect(claimed.map(({ fence, sealedUrl }) => [fence.photoJobId, sealedUrl])).toEqual([
    [photoIdOf(0), new Uint8Array([7])],
  ])
  for (const { fence } of claimed)
    await storage.photoJobs.recordOutcome(fence, { state: 'REFUSED', failure: 'NOT_A_PHOTO' })
  const photos = await storage.photoJobs.listPhotos(owner, verificationId)
  expect(photos.find(({ photoJobId }) => photoJobId === photoIdOf(0))).toMatchObject({ state: 'REFUSED' })
  await storage.close()
})
