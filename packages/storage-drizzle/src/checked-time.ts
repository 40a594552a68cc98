import { StorageError } from './storage-error.js'

/** @throws `ARGUMENT_INVALID` for an invalid date, or one that is none */
export function checkedTime(time: Date): Date {
  if (!Number.isFinite((time as Partial<Date> | undefined)?.getTime?.())) throw new StorageError('ARGUMENT_INVALID')
  return time
}
