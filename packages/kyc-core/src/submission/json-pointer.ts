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

/**
 * The pointer up to the first name that the contract does not know: the name of an unknown field can be that of a person,
 * so it is told by the object around it. Inside an open object there are no unknown fields, and the pointer stays.
 */
export function pointerWithoutUnknownFields(
  pointer: string,
  fields: { readonly known: ReadonlySet<string>; readonly open: ReadonlySet<string> },
): string {
  const steps = pointer.split('/').slice(1)
  let kept = ''
  for (const [index, step] of steps.entries()) {
    if (!fields.known.has(step) && !/^\d{1,5}$/.test(step)) return kept
    kept += `/${step}`
    if (fields.open.has(step)) return [kept, ...steps.slice(index + 1)].join('/')
  }
  return kept
}
