import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openConnection } from '../../src/engine/sqlite/open.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { migrate } from '../../src/engine/sqlite/migrate.js'
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
import { startOfTests } from '../samples.js'
import { testFolder } from './sqlite-files.js'

test('photos of a database of 0007 are kept, seen as they stand, and can be refused', async () => {
  const path = join(testFolder(), 'kyc.db')
  const { client, close } = openConnection({ path })
  const untilThen = () =>
    migrate(
      client,
      'sqlite',
      () => startOfTests,
      ({ number, state }) => {
        if (number === 8 && state === 'applying') throw new Error('here')
      },
    )
  expect(untilThen).toThrow()
  const names = Object.keys(verificationOf0007)
  client
    .prepare(
      `INSERT INTO kyc_relay_verifications (${names.join()}, decisioned_at, recorded_at, payload_digest, sealed_details)
       VALUES (${names.map(() => '?').join()}, ${recordedAtMs}, ${recordedAtMs}, x'00', x'00')`,
    )
    .run(...Object.values(verificationOf0007))
  for (const [index, row] of photosOf0007.entries()) {
    client
      .prepare(
        `INSERT INTO kyc_relay_photo_jobs VALUES (?, (SELECT position FROM kyc_relay_verifications), 'front', x'07', ?, ?,
           ${recordedAtMs}, ?, ?, ?, ?)`,
      )
      .run(
        ...[photoIdOf(index), row.state, row.attemptsMade],
        ...[row.dueAtMs, row.lease?.token ?? null, row.lease?.untilMs ?? null, row.endedAtMs],
      )
  }
  close()

  const storage = await createSqliteStorage({ path }, { clock: () => new Date(recordedAtMs) })
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
