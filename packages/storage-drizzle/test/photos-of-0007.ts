import type { PhotoRecord } from '@kyc-relay/kyc-core/photos'
import { uuid } from '../src/testing/sample-records.js'

const startMs = Date.parse('2026-01-02T03:04:05.678Z')
const laterMs = startMs + 60_000

export const owner = { appId: uuid('app'), userId: uuid('user') }
export const verificationId = uuid('verification')
export const verificationOf0007 = {
  verification_id: verificationId,
  app_id: owner.appId,
  user_id: owner.userId,
  external_verification_id: 'attempt-0001',
  external_verification_provider: 'CUSTOM',
  schema_version: '1.0',
  decision: 'PASSED',
  country_code: 'US',
  result_status: 'VERIFIED',
  result_message: 'recorded',
}
export const recordedAtMs = startMs

/** A row of the time before failures were kept, and how it is seen now. */
interface PhotoOf0007 {
  readonly state: 'PENDING' | 'STORED' | 'UNAVAILABLE' | 'ERASED'
  readonly attemptsMade: number
  readonly dueAtMs: number | null
  readonly lease: { readonly token: string; readonly untilMs: number } | null
  readonly endedAtMs: number | null
  readonly seen: PhotoRecord['state']
}

const none = { dueAtMs: null, lease: null, endedAtMs: null }
const lease = { token: 'a', untilMs: laterMs }

export const photosOf0007: readonly PhotoOf0007[] = [
  { ...none, state: 'PENDING', attemptsMade: 0, dueAtMs: startMs, seen: 'PENDING' },
  { ...none, state: 'PENDING', attemptsMade: 1, lease, seen: 'PENDING' },
  { ...none, state: 'PENDING', attemptsMade: 1, dueAtMs: laterMs, seen: 'RETRYING' },
  { ...none, state: 'PENDING', attemptsMade: 2, lease, seen: 'RETRYING' },
  { ...none, state: 'STORED', attemptsMade: 3, endedAtMs: laterMs, seen: 'STORED' },
  { ...none, state: 'UNAVAILABLE', attemptsMade: 30, endedAtMs: laterMs, seen: 'UNAVAILABLE' },
  { ...none, state: 'ERASED', attemptsMade: 0, endedAtMs: laterMs, seen: 'ERASED' },
]

export const photoIdOf = (index: number): string => uuid(`photo ${index}`)

const at = (ms: number | null) => (ms === null ? null : new Date(ms))

/** The rows as the port shows them, in the order of their ids. */
export const photosSeen: readonly PhotoRecord[] = sortedById(
  photosOf0007.map(({ seen, attemptsMade, dueAtMs, endedAtMs }, index) => ({
    photoJobId: photoIdOf(index),
    side: 'front',
    state: seen,
    attemptsMade,
    nextAttemptAt: at(dueAtMs),
    lastFailure: null,
    endedAt: at(endedAtMs),
  })),
)

export function sortedById(photos: readonly PhotoRecord[]): PhotoRecord[] {
  return [...photos].sort((one, next) => (one.photoJobId < next.photoJobId ? -1 : 1))
}
