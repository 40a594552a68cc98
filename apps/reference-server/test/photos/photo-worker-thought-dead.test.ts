import { KycError } from '@kyc-relay/kyc-core'
import { type PhotoStore } from '@kyc-relay/kyc-core/photos'
import { describe, expect, it } from 'vitest'
import { processPhoto, type PhotoProcessing } from '../../src/photos/process-photo.js'
import { leaseMs, never, newSituation, owner, photo, verificationId } from './photo-situation.js'

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

  it('whose photo is gone removes nothing that a later attempt stored', async () => {
    const situation = await newSituation()
    const { deps } = situation
    await situation.claim()
    situation.advance(leaseMs)
    const second = await situation.claim()
    const download: PhotoProcessing['download'] = async () => {
      situation.advance(leaseMs)
      await processPhoto(await situation.claim(), deps, never)
      return { ok: false, cause: 'HTTP_STATUS', status: 410 }
    }
    expect(await processPhoto(second, { ...deps, download }, never)).toMatchObject({ state: 'STORED' })
    expect(situation.kept.size).toBe(1)
  })
})
