import { KycError } from '@kyc-relay/kyc-core'

/** Log lines for a damaged row. They name the app, and what an operator or the partner does. */
export const apiKeyDamaged = 'an API key is damaged: revoke it and issue a new one'
export const headersDamaged = 'static headers of an endpoint are damaged: the partner sets them again'

/** How one kind of sealed rows is opened. */
export interface SealedRows<Row> {
  /** Throws KycError `SEAL_BROKEN` for a row that is no sealed value. */
  readonly wrappingKeyIdOf: (row: Row) => string
  /** Rejects with KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
  readonly open: (row: Row) => Promise<unknown>
}

/**
 * Finds damaged rows, and reports a key file that lacks a key. Reads all rows and opens one for each wrapping key, so
 * it does not find every damaged row.
 *
 * @param pages All rows, in pages.
 * @param verifiedKeyIds Wrapping keys of the key file that are known to be the right ones. A row under another key is
 *   damaged only if a second row under that key opens.
 * @throws KycError `KEY_UNKNOWN` when the key file lacks a wrapping key, or has another one under its id.
 */
export async function findDamaged<Row>(
  pages: AsyncIterable<readonly Row[]>,
  verifiedKeyIds: ReadonlySet<string>,
  { wrappingKeyIdOf, open }: SealedRows<Row>,
): Promise<readonly Row[]> {
  const opened = new Set<string>()
  const broken: Row[] = []
  const suspected = new Set<string>()
  for await (const page of pages) {
    for (const row of page) {
      let keyId: string | null = null
      try {
        keyId = wrappingKeyIdOf(row)
        if (opened.has(keyId)) continue
        await open(row)
        opened.add(keyId)
      } catch (error) {
        if (!(error instanceof KycError) || error.code !== 'SEAL_BROKEN') throw error
        if (keyId !== null) suspected.add(keyId)
        broken.push(row)
      }
    }
  }
  for (const keyId of suspected) {
    if (!opened.has(keyId) && !verifiedKeyIds.has(keyId)) throw new KycError('KEY_UNKNOWN')
  }
  return broken
}
