import { randomBytes, randomUUID } from 'node:crypto'
import { KycError } from '@kyc-relay/kyc-core'
import type { DownloadResult } from '@kyc-relay/webhooks/internal'
import { type PhotoStore } from '@kyc-relay/kyc-core/photos'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createMemoryPhotoJobStore, createMemoryVault, createMemoryVerificationData } from '@kyc-relay/kyc-core/testing'
import { photoImagePart, photoPart, type ClaimedPhotoJob } from '@kyc-relay/kyc-core/internal'
import { describe, expect, it } from 'vitest'
import { processPhoto, type PhotoProcessing } from '../../src/photos/process-photo.js'
import { samplePhoto } from './photo-samples.js'

const owner = { appId: randomUUID(), userId: randomUUID() }
const verificationId = randomUUID()
const url = 'https://photos.partner.com/front.jpg?signature=abc'
const photo = new Uint8Array(samplePhoto('a face'))
const leaseMs = 60_000
const dayMs = 86_400_000
const never = new AbortController().signal

/** A photo store in memory. */
function memoryPhotos() {
  const kept = new Map<string, Uint8Array>()
  const store: PhotoStore = {
    put: async ({ photoJobId }, sealed) => void kept.set(photoJobId, sealed),
    get: async ({ photoJobId }) => kept.get(photoJobId) ?? null,
    erase: async (_owner, ids) => ids.forEach((id) => kept.delete(id)),
  }
  return { kept, store }
}

/** One queued photo and everything that processes it; the clock stands still unless a test moves it. */
async function newSituation(downloaded: DownloadResult = { ok: true, body: photo }) {
  let nowMs = Date.parse('2026-01-05T10:00:00Z')
  const now = () => new Date(nowMs)
  const keys = parseKeyFile(createKeyFile({ randomBytes, now: now() }))
  const vault = createMemoryVault({ cipher: createLocalCipher({ keys }), now, randomBytes })
  const data = createMemoryVerificationData()
  const jobs = createMemoryPhotoJobStore({ data, now, newToken: randomUUID })
  const [sealedUrl] = await vault.tokenize(owner, [
    { kind: 'record', recordId: verificationId, part: photoPart('front'), value: url },
  ])
  if (sealedUrl?.kind !== 'record') throw new Error('not sealed')
  const row: (typeof data.photoJobs)[number] = {
    photoJobId: randomUUID(),
    owner,
    verificationId,
    side: 'front',
    sealedUrl: sealedUrl.sealed,
    state: 'PENDING',
    attemptsMade: 0,
    createdAtMs: nowMs,
    claimableAtMs: nowMs,
    token: null,
    lastFailure: null,
    endedAtMs: null,
  }
  data.photoJobs.push(row)
  const { kept, store } = memoryPhotos()
  const asked: string[] = []
  const deps: PhotoProcessing = {
    jobs,
    photos: store,
    vault,
    download: async (request) => {
      asked.push(request.url)
      return downloaded
    },
    nowMs: () => nowMs,
    timeoutMs: 30_000,
    leaseMs,
  }
  return {
    deps,
    row,
    kept,
    asked,
    jobs,
    vault,
    advance: (ms: number) => void (nowMs += ms),
    async claim(): Promise<ClaimedPhotoJob> {
      const [job] = (await jobs.claimDue({ limit: 1, leaseMs })).claimed
      if (job === undefined) throw new Error('nothing is due')
      return job
    },
  }
}

/** An erasure as the server does it: jobs, then the data key, then the photos. */
async function erase({ jobs, vault, deps }: Awaited<ReturnType<typeof newSituation>>): Promise<void> {
  const { photoJobIds } = await jobs.eraseOwner(owner)
  await vault.eraseOwner(owner)
  await deps.photos.erase(owner, photoJobIds)
}

describe('an attempt at a photo', () => {
  it('stores it sealed, bound to its verification and side, and forgets the URL', async () => {
    const situation = await newSituation()
    const job = await situation.claim()
    expect(await processPhoto(job, situation.deps, never)).toEqual({ state: 'STORED', cause: null })
    expect(situation.asked).toEqual([url])
    expect(situation.row).toMatchObject({ state: 'STORED', sealedUrl: null })
    const sealed = situation.kept.get(job.fence.photoJobId) ?? new Uint8Array()
    expect(Buffer.from(sealed).includes('a face')).toBe(false)
    const opening = { owner, recordId: verificationId, sealed, actor: 'test', purpose: 'test' }
    const opened = await situation.vault.openRecord({ ...opening, part: photoImagePart('front') })
    expect(new Uint8Array(Buffer.from(opened, 'base64'))).toEqual(photo)
    const elsewhere = situation.vault.openRecord({ ...opening, part: photoImagePart('back') })
    await expect(elsewhere).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })

  it.each<[string, DownloadResult, { state: string; cause: string }, object]>([
    [
      'a 404',
      { ok: false, cause: 'HTTP_STATUS', status: 404 },
      { state: 'RETRYING', cause: 'HTTP_STATUS' },
      { claimableInMs: 60_000 },
    ],
    [
      'a redirect into a private network',
      { ok: false, cause: 'ADDRESS_NOT_ALLOWED', status: 302 },
      { state: 'RETRYING', cause: 'ADDRESS_NOT_ALLOWED' },
      { claimableInMs: 60_000 },
    ],
    [
      'a page in HTML',
      { ok: true, body: new TextEncoder().encode('<!doctype html>') },
      { state: 'RETRYING', cause: 'NOT_A_PHOTO' },
      { claimableInMs: 60_000 },
    ],
    ['an empty body', { ok: true, body: new Uint8Array() }, { state: 'RETRYING', cause: 'NOT_A_PHOTO' }, {}],
    [
      'a stop of the server',
      { ok: false, cause: 'ABORTED', status: null },
      { state: 'RETRYING', cause: 'ABORTED' },
      { claimableInMs: 0 },
    ],
    [
      'a photo that is gone for good',
      { ok: false, cause: 'HTTP_STATUS', status: 410 },
      { state: 'UNAVAILABLE', cause: 'HTTP_STATUS' },
      { claimableInMs: null },
    ],
    [
      'a URL that may not be fetched',
      { ok: false, cause: 'URL_NOT_ALLOWED', status: null },
      { state: 'REFUSED', cause: 'URL_NOT_ALLOWED' },
      { claimableInMs: null },
    ],
  ])('that meets %s stores nothing', async (_name, downloaded, processed, then) => {
    const situation = await newSituation(downloaded)
    const nowMs = situation.deps.nowMs()
    expect(await processPhoto(await situation.claim(), situation.deps, never)).toEqual(processed)
    expect(situation.kept.size).toBe(0)
    const [shown] = await situation.jobs.listPhotos(owner, verificationId)
    expect(shown?.lastFailure).toBe(processed.cause === 'ABORTED' ? null : processed.cause)
    const { claimableAtMs } = situation.row
    expect({ claimableInMs: claimableAtMs === null ? null : claimableAtMs - nowMs }).toMatchObject(then)
  })

  it('is the last one 24 hours after the queueing, unless the fault is ours', async () => {
    for (const [cause, state] of [
      ['HTTP_STATUS', 'UNAVAILABLE'],
      ['RESOLVER_DOWN', 'RETRYING'],
      ['TOO_LARGE', 'REFUSED'],
    ] as const) {
      const situation = await newSituation({ ok: false, cause, status: null })
      situation.advance(dayMs)
      const job = await situation.claim()
      expect(await processPhoto(job, situation.deps, never)).toEqual({ state, cause })
    }
  })

  it('counts the time of the attempt itself towards the 24 hours', async () => {
    const situation = await newSituation()
    situation.advance(dayMs - 5_000)
    const job = await situation.claim()
    const slow = {
      ...situation.deps,
      download: async (): Promise<DownloadResult> => {
        situation.advance(5_000)
        return { ok: false, cause: 'TIMEOUT', status: null }
      },
    }
    expect(await processPhoto(job, slow, never)).toEqual({ state: 'UNAVAILABLE', cause: 'TIMEOUT' })
  })

  it.each<[string, (deps: PhotoProcessing) => Partial<PhotoProcessing>, string]>([
    [
      'a vault that is down when the URL is opened',
      ({ vault }) => ({ vault: { ...vault, openRecord: () => Promise.reject(new KycError('VAULT_UNAVAILABLE')) } }),
      'VAULT_UNAVAILABLE',
    ],
    [
      'a vault that is down when the photo is sealed',
      ({ vault }) => ({ vault: { ...vault, tokenize: () => Promise.reject(new KycError('VAULT_UNAVAILABLE')) } }),
      'VAULT_UNAVAILABLE',
    ],
    [
      'a photo store that is down',
      ({ photos }) => ({ photos: { ...photos, put: () => Promise.reject(new KycError('PHOTO_STORE_UNAVAILABLE')) } }),
      'PHOTO_STORE_UNAVAILABLE',
    ],
  ])('that meets %s is tried again, after the 24 hours too', async (_name, change, cause) => {
    const situation = await newSituation()
    situation.advance(dayMs)
    const deps = { ...situation.deps, ...change(situation.deps) }
    expect(await processPhoto(await situation.claim(), deps, never)).toEqual({ state: 'RETRYING', cause })
  })

  it('whose URL cannot be opened any more ends the job', async () => {
    const situation = await newSituation()
    const job = await situation.claim()
    await situation.vault.eraseOwner(owner)
    expect(await processPhoto(job, situation.deps, never)).toEqual({ state: 'UNAVAILABLE', cause: 'URL_UNREADABLE' })
    expect(situation.asked).toEqual([])
  })
})

describe('an erasure while a photo is fetched', () => {
  it('before the photo is stored: it is not stored, and nothing is recorded', async () => {
    const situation = await newSituation()
    const job = await situation.claim()
    const deps: PhotoProcessing = {
      ...situation.deps,
      download: async () => {
        await erase(situation)
        return { ok: true, body: photo }
      },
    }
    expect(await processPhoto(job, deps, never)).toEqual({ state: null, cause: 'LOST' })
    expect(situation.kept.size).toBe(0)
    expect(situation.row.state).toBe('ERASED')
  })

  it('while the photo is being stored: the worker removes it when it learns of the erasure', async () => {
    const situation = await newSituation()
    const job = await situation.claim()
    const { photos } = situation.deps
    let stored: Uint8Array = new Uint8Array()
    const put: PhotoStore['put'] = async (address, sealed) => {
      await erase(situation)
      await photos.put(address, sealed)
      stored = sealed
    }
    const deps = { ...situation.deps, photos: { ...photos, put } }
    expect(await processPhoto(job, deps, never)).toEqual({ state: 'ERASED', cause: null })
    expect(situation.kept.size).toBe(0)
    // Had the worker died before that: the key that sealed these bytes is destroyed.
    const opening = { owner, recordId: verificationId, part: photoImagePart('front'), sealed: stored }
    const opened = situation.vault.openRecord({ ...opening, actor: 'test', purpose: 'test' })
    await expect(opened).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })
})

describe('a worker that was thought dead', () => {
  it('does not remove what the next one stored under the same name', async () => {
    const situation = await newSituation()
    const first = await situation.claim()
    const { photos } = situation.deps
    const put: PhotoStore['put'] = async (address, sealed) => {
      await photos.put(address, sealed)
      situation.advance(leaseMs)
      expect(await processPhoto(await situation.claim(), situation.deps, never)).toEqual({
        state: 'STORED',
        cause: null,
      })
    }
    const deps = { ...situation.deps, photos: { ...photos, put } }
    expect(await processPhoto(first, deps, never)).toEqual({ state: 'STORED', cause: null })
    expect(situation.kept.size).toBe(1)
  })

  it('leaves a photo that nobody asks for once the job ends without one: the last attempt removes it', async () => {
    const situation = await newSituation({ ok: false, cause: 'HTTP_STATUS', status: 410 })
    const { photoJobId } = (await situation.claim()).fence
    situation.kept.set(photoJobId, new Uint8Array([1]))
    situation.advance(leaseMs)
    const last = await processPhoto(await situation.claim(), situation.deps, never)
    expect(last).toEqual({ state: 'UNAVAILABLE', cause: 'HTTP_STATUS' })
    expect(situation.kept.size).toBe(0)
  })

  it('removes what an earlier attempt left before a new URL can bring another photo', async () => {
    const situation = await newSituation({ ok: false, cause: 'HTTP_STATUS', status: 410 })
    const { jobs, deps } = situation
    const { sealedUrl } = situation.row
    const replaceUrl = () =>
      jobs.replaceUrl({ owner, verificationId, side: 'front', sealedUrl: sealedUrl ?? new Uint8Array() })
    const fetchAgain = async () =>
      processPhoto(await situation.claim(), { ...deps, download: async () => ({ ok: true, body: photo }) }, never)
    const answers: string[] = []
    const eraseBeside: PhotoStore['erase'] = async (...photos) => {
      const answer = await replaceUrl()
      answers.push(answer)
      if (answer === 'replaced') await fetchAgain()
      await deps.photos.erase(...photos)
    }
    await situation.claim()
    situation.advance(leaseMs)
    const second = { ...deps, photos: { ...deps.photos, erase: eraseBeside } }
    expect(await processPhoto(await situation.claim(), second, never)).toMatchObject({ state: 'UNAVAILABLE' })
    expect(answers).toEqual(['not_replaceable'])
    expect(await replaceUrl()).toBe('replaced')
    expect(await fetchAgain()).toMatchObject({ state: 'STORED' })
    expect(situation.kept.size).toBe(1)
  })

  it('ends the job even if the store cannot remove what an earlier attempt left', async () => {
    const situation = await newSituation({ ok: false, cause: 'HTTP_STATUS', status: 410 })
    const erase: PhotoStore['erase'] = () => Promise.reject(new KycError('PHOTO_STORE_UNAVAILABLE'))
    await situation.claim()
    situation.advance(leaseMs)
    const deps = { ...situation.deps, photos: { ...situation.deps.photos, erase } }
    const processed = processPhoto(await situation.claim(), deps, never)
    await expect(processed).rejects.toMatchObject({ code: 'PHOTO_STORE_UNAVAILABLE' })
    expect(situation.row.state).toBe('UNAVAILABLE')
  })
})
