/** What a GraphQL endpoint can answer. */
export type GraphqlMediaType = 'application/json' | 'application/graphql-response+json'

const utf8Json = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:utf-?8|"utf-?8")[ \t]*)?;?$/i

/** Whether a `Content-Type` value means JSON in UTF-8. */
export function isUtf8Json(contentType: string | undefined): boolean {
  return contentType !== undefined && utf8Json.test(contentType)
}

/** Ranges of `Accept` that each answer falls under; the most specific one decides (RFC 9110 §12.5.1). */
const rangesOf: Readonly<Record<GraphqlMediaType, readonly string[]>> = {
  'application/json': ['application/json', 'application/*', '*/*'],
  'application/graphql-response+json': ['application/graphql-response+json', 'application/*', '*/*'],
}

/**
 * The answer that an `Accept` header likes best, null when it takes neither.
 *
 * Between equals the one named first; `application/json` where one range covers both, since every client reads it. An
 * absent or empty header, or one that only excludes, takes anything else.
 */
export function negotiateMediaType(accept: string | undefined): GraphqlMediaType | null {
  // What nearly every client sends.
  if (accept === 'application/json') return accept
  const weights = parseAccept(accept ?? '')
  if (![...weights.values()].some((weight) => weight > 0)) weights.set('*/*', 1)
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

/** Weight of each range in order of appearance. A range in another encoding than UTF-8 is none of ours. */
function parseAccept(accept: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (range === '') continue
    const valueOf = (name: string) =>
      parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1)
    const isUtf8 = /^"?utf-?8"?$/.test(valueOf('charset') ?? 'utf-8')
    const weight = Number(valueOf('q') ?? 1)
    weights.set(isUtf8 ? range : part, Number.isFinite(weight) ? weight : 1)
  }
  return weights
}
