import type { PhotoJobStore, PhotoStore } from '@kyc-relay/kyc-core/photos'
import type { PiiRevealer, PiiTokenizer } from '@kyc-relay/kyc-core'
import type { Downloader } from '@kyc-relay/webhooks/internal'
import type { DiskSpace } from '../operations/disk-space/disk-space.js'
import { errorFields, type Log } from '../operations/log.js'
import { createPhotoWorker, type PhotoWorker } from './photo-worker.js'
import { processPhoto, type ProcessedPhoto } from './process-photo.js'

/** Time limit of a download with its redirects, in milliseconds. */
const timeoutMs = 30_000
/** Lease of a photo job, longer than a download and an upload together, in milliseconds. */
const leaseMs = 120_000

/** Creates the photo worker with its store, metrics and log. */
export function createPhotoFetching(deps: {
  readonly jobs: PhotoJobStore
  readonly photos: PhotoStore
  readonly vault: PiiTokenizer & Pick<PiiRevealer, 'openRecord'>
  readonly download: Downloader
  readonly metrics: { onProcessed(photo: ProcessedPhoto): void; onProblem(problem: string): void }
  readonly log: Log
  /** Photos wait while disk space is low. */
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
