import { randomBytes, randomUUID } from 'node:crypto'
import type { DownloadResult } from '@kyc-relay/webhooks/internal'
import { type PhotoStore } from '@kyc-relay/kyc-core/photos'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createMemoryPhotoJobStore, createMemoryVault, createMemoryVerificationData } from '@kyc-relay/kyc-core/testing'
import { photoPart, type ClaimedPhotoJob } from '@kyc-relay/kyc-core/internal'
import type { PhotoProcessing } from '../../src/photos/process-photo.js'
import { samplePhoto } from './photo-samples.js'

export const owner = { appId: randomUUID(), userId: randomUUID() }
export const verificationId = randomUUID()
export const url = 'https://photos.partner.com/front.jpg?signature=abc'
export const photo = new Uint8Array(samplePhoto('a face'))
export const leaseMs = 60_000
export const never = new AbortController().signal

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
export async function newSituation(downloaded: DownloadResult = { ok: true, body: photo }) {
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
