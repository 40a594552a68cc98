/**
 * 14 to 19 digits without adjacent digits, in one run or in the groups printed on cards. Not the groups of an IBAN, which
 * begin with a country and two check digits.
 */
const CANDIDATE =
  /(?<!\d\.)(?<![\p{L}\p{N}_-])(?<!\b[A-Z]{2}\d\d(?:[ -]\d{4}){0,6}[ -])(?:\d{14,19}|\d{4}([ -])(?:\d{4}\1\d{4}\1\d{2,7}|\d{6}\1\d{4,5}))(?![\p{L}\p{N}_-])(?!\.\d)/gu

/** First digits and number lengths of card networks (ISO/IEC 7812 ranges, as the networks publish them). */
const NETWORKS = [
  /^4(?:\d{15}|\d{18})$/, // Visa
  /^5[1-5]\d{14}$/, // Mastercard
  /^2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^3(?:0[0-5]|095|[689]\d)\d{11,16}$/, // Diners Club
  /^6(?:011|4[4-9]\d|5\d\d)\d{12,15}$/, // Discover
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/, // JCB
  /^62\d{14,17}$/, // UnionPay
] as const

const SHORTEST = 14

function hasLuhnCheckDigit(digits: string): boolean {
  let sum = 0
  for (const [index, character] of [...digits].reverse().entries()) {
    const digit = Number(character)
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Checks whether a text holds a separate payment card number: known network prefix, valid length, valid Luhn digit. */
export function holdsCardNumber(folded: string): boolean {
  if (folded.length < SHORTEST) return false
  for (const match of folded.matchAll(CANDIDATE)) {
    const digits = match[0].replace(/\D/g, '')
    if (NETWORKS.some((network) => network.test(digits)) && hasLuhnCheckDigit(digits)) return true
  }
  return false
}
