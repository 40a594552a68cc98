/** Characters whose JSON form PostgreSQL's array parser does not read: control characters and lone surrogates. */
const readOtherwise = /[\p{Cc}\p{Cs}]/u

/**
 * Writes a `text[]` literal of PostgreSQL. It uses JSON quoting, which is faster than pg's own and needs less memory.
 */
export function textArray(texts: readonly (string | null)[]): string {
  return `{${texts.map(elementOf).join(',')}}`
}

/** Text that needs no quotes. Four letters could be NULL. */
const plain = /^(?:[\w-]{1,3}|[\w-]{5,})$/

function elementOf(text: string | null): string {
  if (text === null) return 'NULL'
  if (plain.test(text)) return text
  return readOtherwise.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : JSON.stringify(text)
}
