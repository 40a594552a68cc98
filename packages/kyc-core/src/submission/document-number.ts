/** As printed: letters and digits of any script, with the separators that issuers use. WA licences once held asterisks. */
const DOCUMENT_NUMBER = /^[\p{L}\p{N}][\p{L}\p{N} \-–./*<()]*$/u
const NO_LETTER_OR_NUMBER = /[^\p{L}\p{N}]/gu

/** True for a number as an issuer prints it, at least two letters or digits. */
export function isDocumentNumber(text: string): boolean {
  return DOCUMENT_NUMBER.test(text.normalize('NFC')) && text.replace(NO_LETTER_OR_NUMBER, '').length >= 2
}

/**
 * The form that is hashed: compatibility characters unified (NFKC), upper case, without spaces and dashes, so that one
 * document has one hash however it was typed.
 */
export function normaliseDocumentNumber(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\-–‐]/gu, '')
}
