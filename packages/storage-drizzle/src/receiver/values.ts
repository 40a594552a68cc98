import { StorageError } from '../storage-error.js'

/** How far the receiver is with an event. */
export const receiverEventStates = ['CLAIMED', 'RELEASED', 'COMPLETED'] as const

/** @throws `ARGUMENT_INVALID` for a duration that is negative or no number: `forget` would forget every id. */
export function checkedDurationMs(ms: number): number {
  if (!Number.isFinite(ms) || ms < 0) throw new StorageError('ARGUMENT_INVALID')
  return ms
}
