/**
 * Headers of a request: a Fetch `Headers`, Node's `IncomingHttpHeaders`, or a plain record, names in any letter case.
 */
export type HeadersLike =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Returns the value of one header. Repeated values, also under names of different case, are joined by `', '` as Fetch
 * does. No valid signature or event id holds a comma. Only own members of a record count: members of its prototype are
 * not part of the request.
 *
 * @param name in lower case.
 */
export function headerValue(headers: HeadersLike, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  let found: string | undefined
  // A list of all names would cost a hundredth of a verification.
  for (const key in headers) {
    if (key !== name && (key.length !== name.length || key.toLowerCase() !== name)) continue
    if (!Object.hasOwn(headers, key)) continue
    const value = headers[key]
    if (value === undefined || value === null) continue
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    found = found === undefined ? text : `${found}, ${text}`
  }
  return found
}

function isFetchHeaders(headers: HeadersLike): headers is { get(name: string): string | null } {
  // A polluted Object.prototype must not make a record look like Headers.
  return typeof headers?.get === 'function' && headers.get !== (Object.prototype as { get?: unknown }).get
}
