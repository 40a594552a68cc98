/**
 * Letters and digits of any script, with the separators that issuers print. Old Washington State licences have
 * asterisks.
 */
const DOCUMENT_NUMBER = /^[\p{L}\p{N}][\p{L}\p{N} \-–‐./*<()]*$/u
const NO_LETTER_OR_NUMBER = /[^\p{L}\p{N}]/gu

/** True for a number as an issuer prints it, at least two letters or digits: as given, or as it is normalised. */
export function isDocumentNumber(text: string): boolean {
  return [text.normalize('NFC'), text.normalize('NFKC')].some(
    (composed) => DOCUMENT_NUMBER.test(composed) && [...composed.replace(NO_LETTER_OR_NUMBER, '')].length >= 2,
  )
}

/**
 * Normalises a document number for hashing: NFKC, upper case, no spaces or dashes. All spellings of a number have the
 * same hash.
 */
export function normaliseDocumentNumber(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\-–‐]/gu, '')
}
