import { KycError } from '@kyc-relay/kyc-core'
import type { DownloadResult } from '@kyc-relay/webhooks/internal'
import { type PhotoStore } from '@kyc-relay/kyc-core/photos'
import { photoImagePart } from '@kyc-relay/kyc-core/internal'
import { describe, expect, it } from 'vitest'
import { processPhoto, type PhotoProcessing } from '../../src/photos/process-photo.js'
import { never, newSituation, owner, photo, url, verificationId } from './photo-situation.js'

const dayMs = 86_400_000

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
