/**
 * Headers of a request: a Fetch `Headers`, Node's `IncomingHttpHeaders`, or a plain record, names in any letter case.
 */
export type HeadersLike =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Every value of one header.
 *
 * A list longer than one means that the header came more than once, as a list or under names of different case; a
 * `Headers` joins such values by a comma, which no valid signature or event id contains.
 *
 * @param name in lower case.
 */
export function headerValues(headers: HeadersLike, name: string): readonly string[] {
  if (isFetchHeaders(headers)) {
    const value = headers.get(name)
    return typeof value === 'string' ? [value] : []
  }
  const values: string[] = []
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const value = headers[key]
      if (typeof value === 'string') values.push(value)
      else if (Array.isArray(value)) values.push(...value.map(String))
    }
  }
  return values
}

function isFetchHeaders(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}
