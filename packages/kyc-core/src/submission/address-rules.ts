import { isUsSubdivision, isUsTerritory } from './country-codes.js'
import { isPoBox, isPrivateMailbox } from './po-box.js'
import type { RuleContext } from './rule-context.js'

const ZIP = /^\d{5}$/
/**
 * Postal codes outside the US: letters and digits with spaces, dashes of any width and full stops; in Japan after 〒.
 * Databases fill short texts with spaces.
 */
const POSTAL_CODE = /^(?:〒\p{Zs}?)?[\p{L}\p{N}](?:[\p{L}\p{N}\p{Zs}\p{Pd}−.]{0,18}[\p{L}\p{N}])?\p{Zs}*$/u

/** Checks the rules of `person.address` that depend on the country or on the text of a line. */
export function checkAddress({ text, isPresent, refuseUnlessLenient, warn, policy }: RuleContext): void {
  const base = '/person/address'
  const country = text(`${base}/countryCode`)
  const subdivision = text(`${base}/subdivision`)
  const postalCode = text(`${base}/postalCode`)

  if (country === 'US') {
    if (!isPresent(`${base}/subdivision`)) refuseUnlessLenient(`${base}/subdivision`, 'REQUIRED')
    else if (subdivision !== undefined && !isUsSubdivision(subdivision)) {
      refuseUnlessLenient(`${base}/subdivision`, 'SUBDIVISION_INVALID')
    }
    if (!isPresent(`${base}/postalCode`)) refuseUnlessLenient(`${base}/postalCode`, 'REQUIRED')
    else if (postalCode !== undefined && !ZIP.test(postalCode))
      refuseUnlessLenient(`${base}/postalCode`, 'POSTAL_CODE_INVALID')
  } else if (postalCode !== undefined && !POSTAL_CODE.test(postalCode)) {
    refuseUnlessLenient(`${base}/postalCode`, 'POSTAL_CODE_INVALID')
  }
  if (country !== undefined && isUsTerritory(country)) warn(`${base}/countryCode`, 'US_TERRITORY_AS_COUNTRY')

  const line1 = text(`${base}/streetLine1`)
  const line2 = text(`${base}/streetLine2`)
  if (line1 !== undefined && isPoBox(line1, country)) refuseUnlessLenient(`${base}/streetLine1`, 'PO_BOX')
  else if (line1 !== undefined && isPrivateMailbox(line1)) reportBox(`${base}/streetLine1`, 'PRIVATE_MAILBOX')
  if (line2 !== undefined && isPoBox(line2, country)) reportBox(`${base}/streetLine2`, 'PO_BOX_IN_LINE_2')
  else if (line2 !== undefined && isPrivateMailbox(line2)) reportBox(`${base}/streetLine2`, 'PRIVATE_MAILBOX')

  function reportBox(pointer: string, code: 'PRIVATE_MAILBOX' | 'PO_BOX_IN_LINE_2'): void {
    if (policy.strictAddresses) refuseUnlessLenient(pointer, 'PO_BOX')
    else warn(pointer, code)
  }
}
