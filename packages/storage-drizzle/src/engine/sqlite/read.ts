import { storageErrorOf } from './errors.js'

/** Runs a synchronous read behind a promise: what it throws becomes a rejection with a code of this package. */
export function read<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.reject(storageErrorOf(error))
  }
}
