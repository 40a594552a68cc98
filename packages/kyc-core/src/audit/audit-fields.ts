/** A value that a digest can cover: text, integer, bytes (by their SHA-256), null, or a list of these. */
export type AuditField = string | number | null | Uint8Array | readonly AuditField[]

/**
 * Encodes a value as text; two different values never give the same text. Type and length come before each part, so
 * content cannot be read as the start of the next part. `["ab", null, 7]` gives `l3:s2:abni7;`.
 *
 * Lengths of texts count UTF-16 code units. A number is written as JavaScript writes an integer.
 */
export function encodeFields(field: AuditField, sha256Hex: (bytes: Uint8Array) => string): string {
  if (typeof field === 'string') return `s${field.length}:${field}`
  if (typeof field === 'number') return `i${field};`
  if (field === null) return 'n'
  if (ArrayBuffer.isView(field)) return `b${sha256Hex(field)}`
  let text = `l${field.length}:`
  for (const item of field) text += encodeFields(item, sha256Hex)
  return text
}
