/** JSON format of the serialisers of a language. */
export interface JsonDialect {
  readonly name: string
  readonly itemSeparator: string
  readonly keySeparator: string
  /** Spaces per level; null for one line. */
  readonly indent: number | null
  /** Writes non-ASCII characters as `\uXXXX`. */
  readonly asciiOnly?: boolean
  /** Writes `/` as `\/`. */
  readonly escapedSlashes?: boolean
  /** Writes `<`, `>`, `&` and the line separators as `\uXXXX`. */
  readonly escapedHtml?: boolean
}

const compact = { itemSeparator: ',', keySeparator: ':', indent: null }
const spaced = { itemSeparator: ', ', keySeparator: ': ', indent: null }

/** Common dialects, most likely first. */
export const jsonDialects: readonly JsonDialect[] = [
  { name: 'compact JSON, as JSON.stringify writes it', ...compact },
  { name: "JSON with Python's separators and \\uXXXX escapes", ...spaced, asciiOnly: true },
  { name: "JSON with Python's separators", ...spaced },
  { name: 'compact JSON with \\uXXXX escapes', ...compact, asciiOnly: true },
  { name: "compact JSON with PHP's \\/ and \\uXXXX escapes", ...compact, asciiOnly: true, escapedSlashes: true },
  { name: 'compact JSON with \\/ escapes', ...compact, escapedSlashes: true },
  { name: "compact JSON with Go's escapes of <, > and &", ...compact, escapedHtml: true },
  { name: 'JSON indented by 2 spaces', itemSeparator: ',', keySeparator: ': ', indent: 2 },
  { name: 'JSON indented by 4 spaces', itemSeparator: ',', keySeparator: ': ', indent: 4 },
]

/**
 * Rewrites a JSON text in another dialect, token by token. Unlike parsing and serialising, it keeps numbers, key order
 * and repeated keys.
 *
 * @param text valid JSON.
 */
export function rewriteJson(text: string, dialect: JsonDialect): string {
  const { indent } = dialect
  const lineBreak = (depth: number) => (indent === null ? '' : `\n${' '.repeat(indent * depth)}`)
  const tokens = tokensOf(text)
  let depth = 0
  let written = ''
  let previous = ''
  for (const token of tokens) {
    if (token === '}' || token === ']') {
      depth--
      if (previous !== '{' && previous !== '[') written += lineBreak(depth)
    } else if (previous === '{' || previous === '[' || previous === ',') {
      written += lineBreak(depth)
    }
    if (token === ',') written += indent === null ? dialect.itemSeparator : ','
    else if (token === ':') written += dialect.keySeparator
    else written += token.startsWith('"') ? rewriteString(token, dialect) : token
    if (token === '{' || token === '[') depth++
    previous = token
  }
  return written
}

/** Returns the number of levels of a JSON text. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const token of tokensOf(text)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth)
    else if (token === '}' || token === ']') depth--
  }
  return deepest
}

function tokensOf(text: string): readonly string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? []
}

function rewriteString(token: string, dialect: JsonDialect): string {
  let written = JSON.stringify(JSON.parse(token))
  if (dialect.escapedSlashes) written = written.replaceAll('/', '\\/')
  if (dialect.escapedHtml) written = written.replace(/[<>&\u2028\u2029]/g, unicodeEscape)
  if (dialect.asciiOnly) written = written.replace(/[^ -~]/g, unicodeEscape)
  return written
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Describes the format of a JSON text, for the evidence. */
export function describeJson(text: string): string {
  if (/^[[{]\s*\n/.test(text)) return 'indented JSON'
  if (/^\{"(?:[^"\\]|\\.)*": /.test(text)) return "JSON with Python's separators"
  if (text.includes('\\/')) return 'JSON with \\/ escapes'
  if (/\\u[0-9a-fA-F]{4}/.test(text)) return 'JSON with \\uXXXX escapes'
  return 'compact JSON'
}
