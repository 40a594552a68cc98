import { randomUUID } from 'node:crypto'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import {
  createMemoryPhotoJobStore,
  createMemoryVerificationData,
  createMemoryVerificationStore,
} from '@kyc-relay/kyc-core/testing'
import type { MemoryVerificationData } from '../../src/testing/memory-verification-store.js'
import type { PhotoJobStoreHarness } from '../../src/testing/photo-job-harness.js'

/** The photo jobs in memory, after `spoil` has broken something; `durable: false` forgets everything on closing. */
export function createMemoryPhotoJobHarness(
  spoil: (store: PhotoJobStore, data: MemoryVerificationData) => PhotoJobStore = (store) => store,
  durable = true,
): PhotoJobStoreHarness {
  let data = createMemoryVerificationData()
  let nowMs = Date.parse('2026-01-02T03:04:05.678Z')
  const now = () => new Date(nowMs)
  return {
    open: async () => ({
      verifications: createMemoryVerificationStore(data),
      photoJobs: spoil(createMemoryPhotoJobStore({ data, now, newToken: randomUUID }), data),
      close: async () => {
        if (!durable) data = createMemoryVerificationData()
      },
    }),
    now,
    advance: async (ms) => void (nowMs += ms),
    readSealedUrl: async (photoJobId) => data.photoJobs.find((job) => job.photoJobId === photoJobId)?.sealedUrl ?? null,
  }
}
