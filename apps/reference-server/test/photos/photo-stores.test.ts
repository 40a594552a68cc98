import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import { photoStoreCases } from '@kyc-relay/kyc-core/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDirectoryPhotoStore } from '../../src/photos/directory-photo-store.js'
import { createS3PhotoStore, type S3Location } from '../../src/photos/s3-photo-store.js'

const now = () => new Date()
const address = { owner: { appId: 'app', userId: 'user' }, photoJobId: 'photo' }
const sealed = new Uint8Array([1, 2, 3])

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-photos-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function filesIn(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }))
}

describe('a folder of photos', () => {
  it.each(photoStoreCases)('$id $name', async ({ run }) => {
    const folder = join(temporaryFolder(), 'photos')
    await run({ open: () => openDirectoryPhotoStore(folder, now), readEverything: async () => filesIn(folder) })
  })

  it('is for this user alone, and so is every photo in it', async () => {
    const folder = join(temporaryFolder(), 'photos')
    await (await openDirectoryPhotoStore(folder, now)).put(address, sealed)
    const names = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
    const modes = names.map((name) => statSync(join(folder, name))).map((at) => [at.isFile(), at.mode & 0o777] as const)
    expect(modes.filter(([isFile]) => isFile)).toEqual([[true, 0o600]])
    expect(modes.filter(([isFile]) => !isFile).every(([, mode]) => mode === 0o700)).toBe(true)
  })

  it('removes at the start what a crash left half-written, but not what another process may be writing', async () => {
    const folder = join(temporaryFolder(), 'photos')
    await openDirectoryPhotoStore(folder, now)
    const hourAgo = new Date(Date.now() - 61 * 60_000)
    for (const name of ['old', 'new']) writeFileSync(join(folder, 'unfinished', name), 'half a photo')
    utimesSync(join(folder, 'unfinished', 'old'), hourAgo, hourAgo)
    await openDirectoryPhotoStore(folder, now)
    expect(filesIn(folder).map(({ name }) => name)).toEqual(['unfinished/new'])
  })

  it('that cannot be written says so by its code, without a path, and leaves nothing half-written', async () => {
    const folder = join(temporaryFolder(), 'photos')
    const store = await openDirectoryPhotoStore(folder, now)
    await store.put(address, sealed)
    const [kept] = filesIn(folder)
    // Its place is taken by a folder: a failure that does not depend on who runs the test.
    rmSync(join(folder, kept?.name ?? ''))
    writeFileSync(join(folder, 'in-the-way'), '')
    rmSync(join(folder, (kept?.name ?? '').slice(0, 2)), { recursive: true })
    writeFileSync(join(folder, (kept?.name ?? '').slice(0, 2)), '')
    const failure = await store.put(address, sealed).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'PHOTO_STORE_UNAVAILABLE', retryable: true })
    expect(String((failure as Error).stack)).not.toContain('ENOTDIR')
    expect(readdirSync(join(folder, 'unfinished'))).toEqual([])
    await expect(openDirectoryPhotoStore(join(folder, 'in-the-way'), now)).rejects.toMatchObject({
      code: 'PHOTO_STORE_UNAVAILABLE',
    })
  })
})

describe('a bucket of photos', () => {
  let server: S3rver
  let location: S3Location
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kyc-relay-s3-'))
    const buckets = [...photoStoreCases.map(({ id }) => id.toLowerCase()), 'photos'].map((name) => ({ name }))
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder, configureBuckets: buckets }
    server = new S3rver(options)
    const { port } = await server.run()
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
    location = {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'photos',
      prefix: '',
      ...credentials,
    }
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  // All but the replacement under readers: S3 keeps an object whole, the server of this test overwrites it in place.
  const cases = photoStoreCases.filter(({ id }) => id !== 'PS-03')
  it.each(cases)('$id $name', async ({ id, run }) => {
    const bucket = id.toLowerCase()
    const harness: Parameters<(typeof photoStoreCases)[number]['run']>[0] = {
      open: async (): Promise<PhotoStore> => createS3PhotoStore({ ...location, bucket, prefix: 'kyc/photos' }),
      readEverything: async () =>
        filesIn(join(folder, bucket))
          .filter(({ name }) => name.endsWith('_object'))
          .map(({ name, bytes }) => ({ name, bytes })),
    }
    await run(harness)
  })

  it('keeps photos under its prefix, slashes at its ends or not', async () => {
    for (const prefix of ['', 'a/b', '/c/']) await createS3PhotoStore({ ...location, prefix }).put(address, sealed)
    const folders = filesIn(join(folder, 'photos')).filter(({ name }) => name.endsWith('_object'))
    expect(folders.map(({ name }) => name.split('/').slice(0, -1).join('/')).sort()).toEqual(['', 'a/b', 'c'])
  })

  it.each<[string, Partial<S3Location>]>([
    ['a wrong key', { secretAccessKey: 'wrong' }],
    ['a bucket that is not there', { bucket: 'nobodys' }],
    ['a server that is not there', { endpoint: 'http://127.0.0.1:9' }],
  ])('with %s says so by its code, without a word of the store', async (_name, change) => {
    const store = createS3PhotoStore({ ...location, ...change })
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.put(address, sealed),
      () => store.get(address),
      ...(change.bucket === undefined ? [() => store.erase(address.owner, [address.photoJobId])] : []),
    ]
    for (const call of calls) {
      const failure = await call().catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'PHOTO_STORE_UNAVAILABLE', retryable: true })
      expect((failure as Error).cause).toBe(undefined)
    }
  })
})
