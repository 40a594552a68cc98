import { UsageError } from './command.js'

/** Reads an option that is a whole number from 0 to `most`. */
export function parseCount(option: string, text: string | undefined, standard: number, most: number): number {
  if (text === undefined) return standard
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(count <= most)) throw new UsageError(`${option} takes a whole number up to ${most}.`)
  return count
}
