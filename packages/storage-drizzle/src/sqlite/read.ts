import { storageErrorOf } from './driver-errors.js'

/** Runs a synchronous read behind a promise: what it throws becomes a rejection with a code of this package. */
export function read<T>(work: () => T): Promise<T> {
  return new Promise<T>((resolve) => resolve(work())).catch((error: unknown) => {
    throw storageErrorOf(error)
  })
}
