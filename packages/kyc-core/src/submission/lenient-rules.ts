import type { Violation, ViolationCode } from './violation.js'

/** Codes that become a warning. Text that is unsafe or of another type is refused all the same. */
const CODES: ReadonlySet<ViolationCode> = new Set(['REQUIRED', 'FORMAT', 'COUNTRY_INVALID'])

/** Checks for a violation that may be the reason of a failed decision, in a field for which the lenient schema is looser. */
export function isLenient({ code }: Violation): boolean {
  return CODES.has(code)
}
