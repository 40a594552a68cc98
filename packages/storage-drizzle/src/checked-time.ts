import { StorageError } from './storage-error.js'

/** Years 1 to 9999: PostgreSQL reads no other year as JavaScript writes it. */
const [earliestMs, latestMs] = [Date.parse('0001-01-01'), Date.parse('9999-12-31T23:59:59.999Z')]

/** @throws `ARGUMENT_INVALID` for a value that is not a valid date, or a year before 1 or after 9999 */
export function checkedTime(time: Date): Date {
  const ms = (time as Partial<Date> | null | undefined)?.getTime?.() ?? NaN
  if (!(ms >= earliestMs && ms <= latestMs)) throw new StorageError('ARGUMENT_INVALID')
  return time
}

const dayMs = 86_400_000
const mostDurationMs = 36_525 * dayMs

/**
 * Rounds a lease or a delay up to whole milliseconds: SQLite stores no fraction.
 *
 * @throws `ARGUMENT_INVALID` unless it is a number from 0 to 100 years, in milliseconds: no engine stores times far away
 */
export function checkedDurationMs(ms: number): number {
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= mostDurationMs)) throw new StorageError('ARGUMENT_INVALID')
  return Math.ceil(ms)
}

/** No row is older than 1,000 years, and PostgreSQL counts back to 4713 BC at most. */
const mostAgeMs = 365_250 * dayMs

/**
 * Limits the age of what is removed to 1,000 years. A larger age keeps as much.
 *
 * @throws `ARGUMENT_INVALID` for an age that is negative or no number: everything would be old, or nothing
 */
export function checkedAgeMs(ms: number): number {
  if (!Number.isFinite(ms) || ms < 0) throw new StorageError('ARGUMENT_INVALID')
  return Math.min(ms, mostAgeMs)
}
