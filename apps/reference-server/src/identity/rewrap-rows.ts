import { KycError } from '@kyc-relay/kyc-core'

/** How one kind of sealed rows is re-wrapped. */
export interface RewrappableRows<Row> {
  /** The current wrapping key. */
  readonly currentKeyId: string
  /** Throws KycError `SEAL_BROKEN` for a row that is no sealed value. */
  readonly wrappingKeyIdOf: (row: Row) => string
  /**
   * Re-wraps a row in one write. Returns false if another process has just changed it. Rejects with KycError
   * `KEY_UNKNOWN`, `SEAL_BROKEN`.
   */
  readonly rewrap: (row: Row) => Promise<boolean>
  readonly onDamaged: (row: Row) => void
}

/**
 * Re-wraps rows under the current wrapping key. It continues after a stop, and two processes may run it at once.
 *
 * @param pages All rows, in pages.
 * @param onProgress Called after each page with the number of rows that were re-wrapped.
 * @returns the numbers of rows that were re-wrapped, and that remain after a stop.
 * @throws KycError `KEY_UNKNOWN` when the key file lacks a wrapping key; `SEAL_BROKEN` in the end when some are damaged.
 */
export async function rewrapRows<Row>(
  pages: AsyncIterable<readonly Row[]>,
  { currentKeyId, wrappingKeyIdOf, rewrap, onDamaged }: RewrappableRows<Row>,
  shouldContinue: () => boolean,
  onProgress: (rewrapped: number) => void = () => undefined,
): Promise<{ readonly rewrapped: number; readonly remaining: number }> {
  let rewrapped = 0
  let remaining = 0
  let damaged: KycError | null = null
  for await (const page of pages) {
    for (const row of page) {
      try {
        if (wrappingKeyIdOf(row) === currentKeyId) continue
        if (!shouldContinue()) remaining += 1
        else if (await rewrap(row)) rewrapped += 1
      } catch (error) {
        // A damaged row must not hold up those after it.
        if (!(error instanceof KycError) || error.code !== 'SEAL_BROKEN') throw error
        damaged = error
        onDamaged(row)
      }
    }
    if (rewrapped > 0) onProgress(rewrapped)
  }
  if (damaged !== null) throw damaged
  return { rewrapped, remaining }
}
