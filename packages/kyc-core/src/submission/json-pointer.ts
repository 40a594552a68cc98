/** Names and numbers that may be repeated in an answer. A key can itself hold personal data, so others are left out. */
const HARMLESS_KEY = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/
const LONG_DIGIT_RUN = /\d{4}/

/**
 * JSON Pointer (RFC 6901) of a member of an object whose keys the partner chose. A key that could hold personal data is
 * not repeated: the pointer then ends at the object.
 */
export function pointerOfKey(parent: string, key: string): string {
  return HARMLESS_KEY.test(key) && !LONG_DIGIT_RUN.test(key) ? `${parent}/${key}` : parent
}
