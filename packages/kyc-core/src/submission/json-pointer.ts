/** Keys that a pointer may repeat. Other keys are left out because a key can hold personal data. */
const HARMLESS_KEY = /^(?!.*\d{4})[A-Za-z][A-Za-z0-9_-]{0,39}$/

/**
 * Builds the JSON Pointer (RFC 6901) of a member of an open object. When the key could hold personal data, the pointer
 * ends at the object.
 */
export function pointerOfKey(parent: string, key: string): string {
  return HARMLESS_KEY.test(key) ? `${parent}/${key}` : parent
}

/**
 * Cuts a pointer before the first unknown field name, because that name can hold personal data. Open objects have no
 * unknown fields. There it cuts before the first key of `clear`.
 */
export function presentPointer(
  pointer: string,
  fields: { readonly known: ReadonlySet<string>; readonly open: ReadonlySet<string> },
  clear: ReadonlySet<string>,
): string {
  const steps = pointer.split('/').slice(1)
  let kept = ''
  for (const [index, step] of steps.entries()) {
    if (!fields.known.has(step) && !/^\d{1,5}$/.test(step)) return kept
    kept += `/${step}`
    if (!fields.open.has(step)) continue
    const end = steps.findIndex((key, at) => at > index && clear.has(key))
    return [kept, ...steps.slice(index + 1, end === -1 ? undefined : end)].join('/')
  }
  return kept
}
