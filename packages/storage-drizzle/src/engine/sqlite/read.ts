import { storageErrorOf } from './errors.js'

/** Runs a synchronous read in a promise. Errors become rejections with a code of this package. */
export function read<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.reject(storageErrorOf(error))
  }
}
