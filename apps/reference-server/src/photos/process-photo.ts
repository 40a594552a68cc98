import { KycError, type PiiRevealer, type PiiTokenizer } from '@kyc-relay/kyc-core'
import type { Downloader } from '@kyc-relay/webhooks/internal'
import { MAX_PHOTO_BYTES, photoFormat, type PhotoJobStore, type PhotoStore } from '@kyc-relay/kyc-core/photos'
import {
  photoImagePart,
  photoOutcome,
  photoPart,
  type ClaimedPhotoJob,
  type PhotoAttempt,
  type PhotoFailure,
  type PhotoState,
} from '@kyc-relay/kyc-core/internal'

/** Reason why an attempt did not store the photo. */
export type PhotoCause =
  | PhotoFailure
  /** The process stopped. */
  | 'ABORTED'
  /** The job was taken over or erased meanwhile. This attempt stored nothing. */
  | 'LOST'

/** Result of one attempt. `state` is the state of the job afterwards; null when the job was lost. */
export interface ProcessedPhoto {
  readonly state: PhotoState | null
  readonly cause: PhotoCause | null
}

/** Dependencies of {@link processPhoto}. */
export interface PhotoProcessing {
  readonly jobs: Pick<PhotoJobStore, 'renewLease' | 'recordOutcome'>
  readonly photos: PhotoStore
  readonly vault: PiiTokenizer & Pick<PiiRevealer, 'openRecord'>
  readonly download: Downloader
  readonly nowMs: () => number
  /** Time limit of the download, in milliseconds. */
  readonly timeoutMs: number
  readonly leaseMs: number
}

/** Actor and reason of the reveal that the vault records for every attempt. */
const audited = { actor: 'photo worker', purpose: 'fetch the photo of a verification' } as const

type Attempted =
  | { readonly attempt: PhotoAttempt; readonly cause: PhotoCause | null; readonly mayBeStored: boolean }
  | { readonly attempt: null; readonly cause: 'LOST' }

const interrupted: Attempted = { attempt: { kind: 'interrupted' }, cause: 'ABORTED', mayBeStored: false }

function failed(failure: PhotoFailure, { gone = false, mayBeStored = false } = {}): Attempted {
  return { attempt: { kind: 'failed', failure, gone }, cause: failure, mayBeStored }
}

/**
 * Makes one attempt to fetch a photo: opens its URL, downloads, checks the first bytes, seals, stores and records.
 *
 * It seals before it renews the lease and stores afterwards. An erasure ends the jobs before it destroys the data key.
 * So every stored photo was sealed before the erasure and cannot be opened after it.
 */
export async function processPhoto(
  job: ClaimedPhotoJob,
  deps: PhotoProcessing,
  signal: AbortSignal,
): Promise<ProcessedPhoto> {
  const startedAtMs = deps.nowMs()
  const attempted = await attemptPhoto(job, deps, signal)
  if (attempted.attempt === null) return { state: null, cause: 'LOST' }
  const queuedForMs = job.queuedForMs + Math.ceil(Math.max(0, deps.nowMs() - startedAtMs))
  const outcome = photoOutcome(attempted.attempt, { attempt: job.attempt, queuedForMs })
  const ends = outcome.state === 'REFUSED' || outcome.state === 'UNAVAILABLE'
  // An earlier attempt may have stored the photo and crashed before recording it.
  const orphan = attempted.mayBeStored || job.attempt > 1
  const eraseOrphan = () => deps.photos.erase(job.owner, [job.fence.photoJobId])
  let state: PhotoState | null
  try {
    // Under the lease: once the job has ended, a new URL may bring another photo under the same name.
    if (ends && orphan && (await deps.jobs.renewLease(job.fence, deps.leaseMs))) await eraseOrphan()
  } finally {
    ;({ state } = await deps.jobs.recordOutcome(job.fence, outcome))
  }
  if (orphan && (state === 'ERASED' || state === null)) await eraseOrphan()
  return { state, cause: attempted.cause }
}

async function attemptPhoto(job: ClaimedPhotoJob, deps: PhotoProcessing, signal: AbortSignal): Promise<Attempted> {
  const url = await openUrl(job, deps)
  if (!url.ok) return failed(url.cause)
  const downloaded = await deps.download({
    url: url.value,
    maxBytes: MAX_PHOTO_BYTES,
    timeoutMs: deps.timeoutMs,
    signal,
  })
  if (!downloaded.ok) {
    const { cause, status } = downloaded
    // RFC 9110, section 15.5.11: the photo was permanently removed.
    return cause === 'ABORTED' ? interrupted : failed(cause, { gone: status === 410 })
  }
  if (photoFormat(downloaded.body) === null) return failed('NOT_A_PHOTO')
  const sealed = await seal(job, downloaded.body, deps)
  if (sealed === null) return failed('VAULT_UNAVAILABLE')
  if (!(await deps.jobs.renewLease(job.fence, deps.leaseMs))) return { attempt: null, cause: 'LOST' }
  try {
    await deps.photos.put({ owner: job.owner, photoJobId: job.fence.photoJobId }, sealed)
    return { attempt: { kind: 'stored' }, cause: null, mayBeStored: true }
  } catch {
    return failed('PHOTO_STORE_UNAVAILABLE', { mayBeStored: true })
  }
}

async function openUrl(
  { owner, verificationId, side, sealedUrl }: ClaimedPhotoJob,
  { vault }: PhotoProcessing,
): Promise<{ readonly ok: true; readonly value: string } | { readonly ok: false; readonly cause: PhotoFailure }> {
  const record = { owner, recordId: verificationId, part: photoPart(side), sealed: sealedUrl }
  try {
    return { ok: true, value: await vault.openRecord({ ...record, ...audited }) }
  } catch (error) {
    const broken = error instanceof KycError && error.code === 'SEAL_BROKEN'
    return { ok: false, cause: broken ? 'URL_UNREADABLE' : 'VAULT_UNAVAILABLE' }
  }
}

/** Seals the photo as base64 because the vault seals text; null during an outage of the vault. */
async function seal(
  { owner, verificationId, side }: ClaimedPhotoJob,
  photo: Uint8Array,
  { vault }: PhotoProcessing,
): Promise<Uint8Array | null> {
  const value = Buffer.from(photo.buffer, photo.byteOffset, photo.byteLength).toString('base64')
  const part = { kind: 'record', recordId: verificationId, part: photoImagePart(side), value } as const
  try {
    const [answer] = await vault.tokenize(owner, [part])
    return answer?.kind === 'record' ? answer.sealed : null
  } catch {
    return null
  }
}
