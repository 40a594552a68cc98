import type { PhotoJobStore, PhotoStore } from '@kyc-relay/kyc-core/photos'
import type { PiiRevealer, PiiTokenizer } from '@kyc-relay/kyc-core'
import type { Downloader } from '@kyc-relay/webhooks/https'
import type { DiskSpace } from '../operations/disk-space/disk-space.js'
import { errorFields, type Log } from '../operations/log.js'
import { createPhotoWorker, type PhotoWorker } from './photo-worker.js'
import { processPhoto, type ProcessedPhoto } from './process-photo.js'

/** For a download with its redirects. */
const timeoutMs = 30_000
/** Longer than a download and an upload take together. */
const leaseMs = 120_000

/** The photo worker with what it works on, counts and logs. */
export function createPhotoFetching(deps: {
  readonly jobs: PhotoJobStore
  readonly photos: PhotoStore
  readonly vault: PiiTokenizer & Pick<PiiRevealer, 'openRecord'>
  readonly download: Downloader
  readonly metrics: { onProcessed(photo: ProcessedPhoto): void; onProblem(problem: string): void }
  readonly log: Log
  /** While it is low, photos wait. */
  readonly disk: Pick<DiskSpace, 'isLow'>
}): PhotoWorker {
  const { metrics, log } = deps
  const jobs: PhotoJobStore = {
    ...deps.jobs,
    claimDue: async (request) => (deps.disk.isLow() ? { claimed: [], nextDueInMs: null } : deps.jobs.claimDue(request)),
  }
  const processing = { ...deps, timeoutMs, leaseMs, nowMs: () => performance.now() }
  return createPhotoWorker({
    jobs,
    leaseMs,
    async process(job, signal) {
      const photo = await processPhoto(job, processing, signal)
      metrics.onProcessed(photo)
      log.info('photo attempt ended', {
        verificationId: job.verificationId,
        attempt: job.attempt,
        outcome: photo.state ?? 'LOST',
        ...(photo.cause === null ? {} : { cause: photo.cause }),
      })
    },
    onProblem(problem, error) {
      metrics.onProblem(problem)
      log.error('photo worker', { ...errorFields(error), job: problem })
    },
  })
}
