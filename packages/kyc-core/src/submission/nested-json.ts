import { readUtf8 } from './decode-text.js'
import { JSON_LIMITS, type JsonValue } from './json-value.js'

/**
 * Texts of JSON inside each other that are parsed. A deeper one is searched as text. Each level of a long text costs as
 * much as the text, and URL encoding has room for 90 levels.
 */
export const MOST_NESTED_TEXTS = 4

const OBJECT_LIST_OR_TEXT = /^\s*[[{"]/

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each: JsonValue) => isDeeper(each, levels - 1))
}

/** Base64 of a text that begins with `{"`, `{ `, `["`, `[{` or `[1`, and so the payload of a JSON web token. */
const BASE64_JSON = /^(?:e[wy]|W[wyz0-9])[\w+/-]+={0,2}$/
/** The same, by its first letters. */
const BASE64_BEGIN = /^\s*(?:e[wy]|W[wyz0-9])/
/** `{` and `[` in the encoding of URLs, once or twice. */
const URL_JSON = /^\s*%(?:25)?[57]B/i

/** Decodes a text that is JSON in base64 or in the encoding of URLs; null for other text. */
function decodeJson(text: string): string | null {
  try {
    if (URL_JSON.test(text)) {
      // A form has a plus sign for a space.
      const decoded = decodeURIComponent(text.replaceAll('+', ' '))
      return decodeJson(decoded) ?? decoded
    }
    // Few other texts are split.
    if (!BASE64_BEGIN.test(text)) return null
    // Programs break base64 into lines.
    const line = text.replace(/\s/g, '')
    const [payload = ''] = line.split('.').slice(line.startsWith('ey') ? 1 : 0)
    const encoded = BASE64_JSON.test(payload) ? payload : line
    if (!BASE64_JSON.test(encoded)) return null
    return readUtf8(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return null
  }
}

/**
 * Parses a text that is an object, a list or a text of JSON, such as a provider's answer kept as text. It may be
 * encoded in base64 or for URLs, or be a JSON web token. Undefined for other text, and for one that is nested deeper than
 * a submission may be.
 */
export function parseNestedJson(text: string): JsonValue | undefined {
  const json = OBJECT_LIST_OR_TEXT.test(text) ? text : decodeJson(text)
  if (json === null) return undefined
  try {
    // JSON.parse takes no byte order mark.
    const value = JSON.parse(json.trim()) as JsonValue
    return isDeeper(value, JSON_LIMITS.depth) ? undefined : value
  } catch {
    return undefined
  }
}
