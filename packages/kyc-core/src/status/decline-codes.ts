interface ChecksOfSection {
  readonly checks?: readonly { readonly name: string; readonly status: string }[] | undefined
}

/**
 * Lists the names of the FAILED checks of all sections (document, ssn, database), in order of appearance, without
 * repetition.
 *
 * @example
 * ```ts
 * import { declineCodes } from '@kyc-relay/kyc-core'
 *
 * declineCodes({ database: { checks: [{ name: 'watchlist', status: 'FAILED' }] } }) // ['watchlist']
 * ```
 */
export function declineCodes(verifications: {
  readonly document?: ChecksOfSection | undefined
  readonly ssn?: ChecksOfSection | undefined
  readonly database?: ChecksOfSection | undefined
}): string[] {
  const sections = [verifications.document, verifications.ssn, verifications.database]
  const failed = sections.flatMap((section) => section?.checks ?? []).filter((check) => check.status === 'FAILED')
  return [...new Set(failed.map((check) => check.name))]
}
