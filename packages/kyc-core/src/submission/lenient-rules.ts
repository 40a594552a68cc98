import type { Violation, ViolationCode } from './violation.js'

/** Codes that become a warning. Text that is unsafe or of another type is refused all the same. */
const CODES: ReadonlySet<ViolationCode> = new Set(['REQUIRED', 'FORMAT', 'COUNTRY_INVALID'])

/** Checks for a violation of a field that may be the reason of a failed decision: the address, the document number. */
export function isLenient({ pointer, code }: Violation): boolean {
  const isField =
    pointer === '/verifications/document/documentNumber' ||
    pointer === '/person/address' ||
    pointer.startsWith('/person/address/')
  return isField && CODES.has(code)
}
