import { isUserAssignedCountry } from './country-codes.js'
import type { RuleContext } from './rule-context.js'

const COUNTRY_CODES = ['/person/address/countryCode', '/verifications/document/issuingCountryCode'] as const

/** Accepts the user-assigned country codes of the policy, with a warning, and refuses the others. */
export function checkCountries({ text, policy, refuse, warn }: RuleContext): void {
  for (const pointer of COUNTRY_CODES) {
    const country = text(pointer)
    if (country === undefined || !isUserAssignedCountry(country)) continue
    if (policy.extraCountries.includes(country)) warn(pointer, 'COUNTRY_USER_ASSIGNED')
    else refuse(pointer, 'COUNTRY_INVALID')
  }
}
