/** Media types of GraphQL responses. */
export type GraphqlMediaType = 'application/json' | 'application/graphql-response+json'

/** Checks whether a `Content-Type` value means JSON in UTF-8. Parameters that JSON does not have are ignored (RFC 2045). */
export function isUtf8Json(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charsets = parameters.filter((parameter) => parameter.trimStart().startsWith('charset'))
  return type?.trim() === 'application/json' && charsets.every((charset) => utf8.test(charset))
}

const utf8 = /^[ \t]*charset[ \t]*=[ \t]*(?:utf-?8|"utf-?8")[ \t]*$/

/** Ranges of `Accept` that match each media type. The most specific one decides (RFC 9110 §12.5.1). */
const rangesOf: Readonly<Record<GraphqlMediaType, readonly string[]>> = {
  'application/json': ['application/json;charset=utf-8', 'application/json', 'application/*', '*/*'],
  'application/graphql-response+json': [
    'application/graphql-response+json;charset=utf-8',
    'application/graphql-response+json',
    'application/*',
    '*/*',
  ],
}

/**
 * Selects the preferred media type of an `Accept` header; null when it accepts neither.
 *
 * With equal weights, the type named first is selected. If one range covers both, it is `application/json`, which every
 * client can read. An absent or empty header accepts anything. A header with only exclusions accepts all other types.
 */
export function negotiateMediaType(accept: string | undefined): GraphqlMediaType | null {
  // Headers of most clients.
  if (accept === 'application/json') return accept
  const weights = parseAccept(accept ?? '')
  const onlyExcludes = ![...weights.values()].some((weight) => weight > 0)
  if (onlyExcludes && !weights.has('*/*')) weights.set('*/*', 1)
  const ranges = [...weights.keys()]
  const rank = (type: GraphqlMediaType) => {
    const range = rangesOf[type].find((one) => weights.has(one)) ?? ''
    return { weight: weights.get(range) ?? 0, place: ranges.indexOf(range) }
  }
  const json = rank('application/json')
  const response = rank('application/graphql-response+json')
  if (json.weight === 0 && response.weight === 0) return null
  const prefersResponse =
    response.weight > json.weight || (response.weight === json.weight && response.place < json.place)
  return prefersResponse ? 'application/graphql-response+json' : 'application/json'
}

/** RFC 9110 §12.4.2: 0 to 1 with at most three decimals. */
const qualityValue = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Reads the weight of each range in order of appearance; the higher one of a repeated range. */
function parseAccept(accept: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (type === '') continue
    const valueOf = (name: string) =>
      parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1)
    const quality = valueOf('q') ?? '1'
    const weight = qualityValue.test(quality) ? Number(quality) : 1
    const range = rangeOf(type, valueOf('charset'))
    weights.set(range, Math.max(weight, weights.get(range) ?? 0))
  }
  return weights
}

/** A range with another encoding than UTF-8 never matches. */
function rangeOf(type: string, charset: string | undefined): string {
  if (charset === undefined) return type
  if (!/^"?utf-?8"?$/.test(charset)) return `${type};charset=other`
  return type.endsWith('*') ? type : `${type};charset=utf-8`
}
