import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createDiskSpace,
  DiskSpaceError,
  isSpaceLow,
  type FreeSpace,
} from '../../src/operations/disk-space/disk-space.js'
import { startDiskWatch, watchedFolders } from '../../src/operations/disk-space/disk-watch.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'

const MiB = 1_048_576
const GiB = 1_024 * MiB
const limits = { minFreePercent: 5, minFreeBytes: GiB }

describe('disk space is low', () => {
  it.each<[string, number, number, typeof limits, boolean, boolean]>([
    ['where both limits are passed', GiB - 1, 100 * GiB, limits, false, true],
    ['not on a full but large disk', GiB, 100 * GiB, limits, false, false],
    ['not on an empty but small disk', GiB / 2, 10 * GiB, limits, false, false],
    ['not at exactly the share', 5 * MiB, 100 * MiB, limits, false, false],
    ['just below it', 5 * MiB - 1, 100 * MiB, limits, false, true],
    ['still, just above it, once it was', 5.4 * MiB, 100 * MiB, limits, true, true],
    ['no more, a tenth above it', 5.5 * MiB, 100 * MiB, limits, true, false],
    ['still, just above the bytes, once it was', 1.05 * GiB, 100 * GiB, limits, true, true],
    ['no more, a tenth above the bytes', 1.1 * GiB, 100 * GiB, limits, true, false],
    ['never where the share is 0', 0, 100 * GiB, { ...limits, minFreePercent: 0 }, true, false],
    ['never where the bytes are 0', 0, 100 * GiB, { ...limits, minFreeBytes: 0 }, true, false],
    ['not on a file system without a size', 0, 0, limits, true, false],
  ])('%s', (_name, freeBytes, totalBytes, within, wasLow, low) => {
    expect(isSpaceLow({ freeBytes, totalBytes }, within, wasLow)).toBe(low)
  })

  it.each([
    ['what their WALs can make the files grow', 6 * MiB, 1.1 * MiB, true],
    ['a WAL that leaves enough', 6 * MiB, 0.9 * MiB, false],
    ['a quarter of what is free at most', 7 * MiB, 90 * MiB, false],
    ['of a long WAL that quarter', 6.6 * MiB, 90 * MiB, true],
  ])('counting %s', (_name, freeBytes, walBytes, low) => {
    expect(isSpaceLow({ freeBytes, totalBytes: 100 * MiB, walBytes }, limits, false)).toBe(low)
  })
})

/** Two folders with so much free; a folder without a number cannot be measured. */
function newSituation(free: Map<string, number>) {
  const told: unknown[] = []
  const disk = createDiskSpace({
    folders: new Map([
      ['database', '/a'],
      ['photos', '/b'],
    ]),
    limits,
    measure: (folder): Promise<FreeSpace> => {
      const freeBytes = free.get(folder)
      if (freeBytes === undefined) return Promise.reject(new Error('canary'))
      return Promise.resolve({ freeBytes, totalBytes: 100 * GiB })
    },
    onLow: (of, { freeBytes }) => void told.push([of, freeBytes]),
    onEnough: (refused) => void told.push(refused),
  })
  return { disk, told }
}

describe('what is gated', () => {
  it('is refused from the first look that finds a disk low until every disk has enough, and told twice', async () => {
    const free = new Map([
      ['/a', 90 * GiB],
      ['/b', 90 * GiB],
    ])
    const { disk, told } = newSituation(free)
    const calls: unknown[][] = []
    const port = {
      write: async (...given: unknown[]) => {
        disk.requireSpace()
        calls.push(given)
        return Promise.resolve('written')
      },
      read: () => Promise.resolve('read'),
    }
    expect(await port.write(1, 2)).toBe('written')
    free.set('/b', 10)
    expect(await port.write(3)).toBe('written')
    await disk.look()
    await expect(port.write(4)).rejects.toThrow(DiskSpaceError)
    await expect(port.write(5)).rejects.toMatchObject({ code: 'DISK_SPACE_LOW', retryable: true })
    expect(await port.read()).toBe('read')
    expect([disk.isLow(), disk.refusals(), told]).toEqual([true, 2, [['photos', 10]]])

    free.set('/a', 20)
    await disk.look()
    free.set('/b', 2 * GiB)
    await disk.look()
    expect([disk.isLow(), told.length]).toEqual([true, 1])
    free.set('/a', 2 * GiB)
    await disk.look()
    expect(await port.write(6)).toBe('written')
    expect(calls).toEqual([[1, 2], [3], [6]])
    expect([disk.isLow(), disk.refusals(), told]).toEqual([false, 2, [['photos', 10], 2]])

    free.set('/a', 30)
    await disk.look()
    free.set('/a', 2 * GiB)
    await disk.look()
    expect(told.slice(2)).toEqual([['database', 30], 0])
  })

  it('counts as before what cannot be measured, and is not told of', async () => {
    const free = new Map([['/b', 90 * GiB]])
    const { disk } = newSituation(free)
    await disk.look()
    expect([disk.isLow(), [...disk.state().keys()]]).toEqual([false, ['photos']])
    free.set('/b', 10)
    await disk.look()
    free.delete('/b')
    await disk.look()
    expect([disk.isLow(), disk.state().size]).toEqual([true, 0])
  })
})

describe('the folders that are watched', () => {
  const s3 = { PHOTO_STORAGE: 's3://photos', PHOTO_S3_ACCESS_KEY_ID: 'id', PHOTO_S3_SECRET_ACCESS_KEY: 'secret' }
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['all, by default', {}, { database: './data', vault: './data', photos: './data/photos' }],
    [
      'apart',
      { DATABASE_URL: 'file:/a/x.db', VAULT_DATABASE_URL: 'file:/b/y.db', PHOTO_STORAGE: 'file:/c' },
      { database: '/a', vault: '/b', photos: '/c' },
    ],
    ['photos alone, with PostgreSQL', { DATABASE_URL: 'postgres://localhost/x' }, { photos: './data/photos' }],
    ['none, with PostgreSQL and a bucket', { DATABASE_URL: 'postgres://localhost/x', ...s3 }, {}],
  ])('%s', (_name, variables, folders) => {
    expect(Object.fromEntries(watchedFolders(parseEnv(variables)))).toEqual(folders)
  })
})

describe('the watch', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('looks before it is relied on and every two seconds, not twice at once, and logs the begin and the end', async () => {
    let freeBytes = 10
    let looks = 0
    let held: Promise<void> = Promise.resolve()
    let release: () => void = () => undefined
    const measure = async () => {
      looks += 1
      await held
      return { freeBytes, totalBytes: 100 * GiB }
    }
    const lines: string[] = []
    const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) })
    const env = parseEnv({ DATABASE_URL: 'postgres://localhost/x' })
    const disk = await startDiskWatch(env, log, measure)
    expect([looks, disk.isLow()]).toEqual([1, true])

    freeBytes = 90 * GiB
    held = new Promise((resolve) => (release = resolve))
    await vi.advanceTimersByTimeAsync(6_000)
    expect([looks, disk.isLow()]).toEqual([2, true])
    release()
    await vi.advanceTimersByTimeAsync(2_000)
    expect([looks, disk.isLow()]).toEqual([3, false])
    disk.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(looks).toBe(3)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 50, msg: 'disk space is low: nothing new is taken', detail: 'photos', freeBytes: 10 },
      { level: 30, msg: 'there is disk space again', count: 0 },
    ])
  })
})
