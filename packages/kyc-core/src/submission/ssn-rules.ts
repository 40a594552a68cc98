import type { RuleContext } from './rule-context.js'
import { isIssuableSsn, isItin, isKnownSampleSsn } from './ssn.js'

const SSN = '/person/ssn'
const LAST_FOUR = '/person/ssnLast4'

/** Rules between `person.ssn`, `person.ssnLast4` and `verifications.ssn` (docs/contract.md 2.2). */
export function checkSsn(context: RuleContext): void {
  const { text, isPresent, isObject, refuse, refuseUnlessLenient } = context
  // A missing `person` has its own violation.
  if (!isObject('/person')) return
  if (isPresent('/verifications/ssn') && !isPresent(SSN)) {
    refuseUnlessLenient(SSN, 'SSN_REQUIRED')
    if (!isPresent(LAST_FOUR)) refuseUnlessLenient(LAST_FOUR, 'SSN_LAST4_REQUIRED')
  } else if (isPresent(SSN) && !isPresent(LAST_FOUR)) refuse(LAST_FOUR, 'SSN_LAST4_REQUIRED')
  const ssn = text(SSN)
  if (ssn === undefined) return
  // A token of an SSN ends with its last four digits.
  const lastFour = context.pii === 'tokens' ? ssn.slice(-4) : checkClear(context, ssn)
  if (text(LAST_FOUR) !== lastFour) refuse(LAST_FOUR, 'SSN_LAST4_MISMATCH')
}

function checkClear({ policy, refuseUnlessFailed }: RuleContext, ssn: string): string {
  const digits = ssn.replaceAll('-', '')
  const acceptable = isIssuableSsn(digits) || (policy.acceptItin && isItin(digits))
  if (!acceptable || (policy.rejectKnownSampleSsns && isKnownSampleSsn(digits))) {
    refuseUnlessFailed(SSN, 'SSN_INVALID', 'SSN_IMPLAUSIBLE')
  }
  return digits.slice(5)
}
