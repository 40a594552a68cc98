import type { ClaimedPhotoJob, PhotoJobStore, PhotoOutcome } from '../photos/photo-job-store.js'
import type { VerificationStore } from '../ingestion/verification-store.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import { assertThat } from './conformance-case.js'
import { createRecordedSubmission, keyOf, USERS, uuid } from './verification-submissions.js'

/** One handle on the data: the store that queues jobs, and the one under test. */
export interface PhotoJobStoreHandle {
  readonly verifications: VerificationStore
  readonly photoJobs: PhotoJobStore
  /** Closes the handle; called once. The data is kept. */
  close(): Promise<void>
}

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface PhotoJobStoreHarness {
  /** Opens a handle. A second call opens another one on the same data, like another process. */
  open(): Promise<PhotoJobStoreHandle>
  /** Time of the store's clock. */
  now(): Date
  /** Advances the store's clock. */
  advance(ms: number): Promise<void>
  /** Reads the stored sealed URL of a job without the port; null when there is none. */
  readSealedUrl(photoJobId: string): Promise<Uint8Array | null>
}

const { maria } = USERS
export const leaseMs = 60_000
export const minuteMs = 60_000

export const jobId = (number: number): string => uuid(5000 + number)
export const verificationId = (number: number): string => uuid(1000 + number)
export const idsOf = (jobs: readonly ClaimedPhotoJob[]): string[] => jobs.map(({ fence }) => fence.photoJobId)

export const retryIn = (retryInMs: number): PhotoOutcome => ({ state: 'RETRYING', retryInMs, failure: 'TIMEOUT' })

/** Records a verification with photos of these sides; the job of the first side has the id of `jobId(number)`. */
export async function queue(
  harness: PhotoJobStoreHarness,
  { verifications }: PhotoJobStoreHandle,
  number: number,
  owner: AppUser = maria,
  sides: readonly ('front' | 'back' | 'selfie')[] = ['front'],
): Promise<void> {
  const submission = createRecordedSubmission(keyOf(owner, `photo-${number}`), number)
  const photoJobs = sides.map((side, index) => ({
    photoJobId: uuid(5000 + number + index * 100),
    side,
    sealedUrl: new Uint8Array([7, 0, number % 256, index]),
  }))
  const verification = { ...submission.verification, photoJobs }
  const answer = await verifications.record({ ...submission, verification, recordedAt: harness.now() })
  assertThat(answer.kind === 'recorded', 'the verification is recorded')
}

export async function claimOne(handle: PhotoJobStoreHandle): Promise<ClaimedPhotoJob> {
  const { claimed } = await handle.photoJobs.claimDue({ limit: 1, leaseMs })
  assertThat(claimed[0] !== undefined, 'a due job is claimed')
  return claimed[0]
}

export async function stateOf(handle: PhotoJobStoreHandle, number: number, owner: AppUser = maria): Promise<unknown> {
  return (await handle.photoJobs.listPhotos(owner, verificationId(number)))[0]?.state
}

/** Runs the work with one handle and closes it. */
export function withHandle(
  work: (handle: PhotoJobStoreHandle, harness: PhotoJobStoreHarness) => Promise<void>,
): (harness: PhotoJobStoreHarness) => Promise<void> {
  return async (harness) => {
    const handle = await harness.open()
    try {
      await work(handle, harness)
    } finally {
      await handle.close()
    }
  }
}
