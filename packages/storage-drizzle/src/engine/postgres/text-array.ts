/** What JSON writes otherwise than an array of PostgreSQL reads it: control characters and lone surrogates. */
const readOtherwise = /[\p{Cc}\p{Cs}]/u

/**
 * A `text[]` as PostgreSQL reads it. The writer of JSON quotes a text in one step, where pg itself takes several for each,
 * and several times the memory.
 */
export function textArray(texts: readonly (string | null)[]): string {
  return `{${texts.map(elementOf).join(',')}}`
}

/** What needs no quotes; four letters could spell NULL. */
const plain = /^(?:[\w-]{1,3}|[\w-]{5,})$/

function elementOf(text: string | null): string {
  if (text === null) return 'NULL'
  if (plain.test(text)) return text
  return readOtherwise.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : JSON.stringify(text)
}
