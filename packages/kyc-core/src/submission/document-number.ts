/**
 * Letters, marks such as Burmese vowel signs, and digits of any script, with the separators that issuers print. Old
 * Washington State licences have asterisks. The identity numbers of Swedes above 99 years have a plus sign.
 */
const DOCUMENT_NUMBER = /^ *[\p{L}\p{N}](?:[\p{L}\p{N} \p{Pd}−+./*<()°]|(?!\p{Script=Inherited})\p{M})*$/u
const NO_LETTER_OR_NUMBER = /[^\p{L}\p{N}]/gu

/** True for a number as an issuer prints it, as given or as it is normalised. At least two letters or digits are given. */
export function isDocumentNumber(text: string): boolean {
  const composed = text.normalize('NFC')
  const hasShape = DOCUMENT_NUMBER.test(composed) || DOCUMENT_NUMBER.test(text.normalize('NFKC'))
  return hasShape && [...composed.replace(NO_LETTER_OR_NUMBER, '')].length >= 2
}

/**
 * Normalises a document number for hashing: NFKC, upper case, no spaces or dashes. All spellings of a number have the
 * same hash.
 */
export function normaliseDocumentNumber(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}−]/gu, '')
}
