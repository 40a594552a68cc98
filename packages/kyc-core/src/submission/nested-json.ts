import { JSON_LIMITS, type JsonValue } from './json-value.js'

const OBJECT_OR_LIST = /^\s*[[{]/

/** Checks whether brackets are nested deeper than in a submission. Brackets inside texts count too. */
function isDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > JSON_LIMITS.depth) return true
  }
  return false
}

/** Parses a text that is an object or list of JSON, such as a provider's answer kept as text; null for other text. */
export function parseNestedJson(text: string): JsonValue {
  if (!OBJECT_OR_LIST.test(text) || isDeep(text)) return null
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return null
  }
}
