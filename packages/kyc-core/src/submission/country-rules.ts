import { isUserAssignedCountry } from './country-codes.js'
import type { RuleContext } from './rule-context.js'

const ADDRESS = '/person/address/countryCode'
const ISSUER = '/verifications/document/issuingCountryCode'

/** Accepts the user-assigned country codes of the policy, with a warning, and refuses the others. */
export function checkCountries({ text, policy, refuse, refuseUnlessLenient, warn }: RuleContext): void {
  for (const pointer of [ADDRESS, ISSUER]) {
    const country = text(pointer)
    if (country === undefined || !isUserAssignedCountry(country)) continue
    if (policy.extraCountries.includes(country)) warn(pointer, 'COUNTRY_USER_ASSIGNED')
    else if (pointer === ADDRESS) refuseUnlessLenient(pointer, 'COUNTRY_INVALID')
    else refuse(pointer, 'COUNTRY_INVALID')
  }
}
