import { UsageError } from './command.js'

/** Reads an option that is a whole number from `least` (default 0) to `most`. */
export function parseCount(
  option: string,
  text: string | undefined,
  standard: number,
  most: number,
  least = 0,
): number {
  if (text === undefined) return standard
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= least && count <= most))
    throw new UsageError(`${option} takes a whole number from ${least} to ${most}.`)
  return count
}
