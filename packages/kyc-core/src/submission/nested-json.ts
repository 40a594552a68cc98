import { JSON_LIMITS, type JsonValue } from './json-value.js'

const OBJECT_LIST_OR_TEXT = /^\s*[[{"]/

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each: JsonValue) => isDeeper(each, levels - 1))
}

/**
 * Parses a text that is an object, a list or a text of JSON, such as a provider's answer kept as text. Null for other
 * text, and for one that is nested deeper than a submission may be.
 */
export function parseNestedJson(text: string): JsonValue {
  if (!OBJECT_LIST_OR_TEXT.test(text)) return null
  try {
    // JSON.parse takes no byte order mark.
    const value = JSON.parse(text.trim()) as JsonValue
    return isDeeper(value, JSON_LIMITS.depth) ? null : value
  } catch {
    return null
  }
}
