import type { Refusal } from './error-catalogue.js'

/** Limits of a JSON body. */
export interface JsonLimits {
  /** Most levels of nested objects and arrays. Default 32. */
  readonly maxDepth: number
  /** Most values, counting members and elements. Default 10,000. */
  readonly maxValues: number
  /** Longest string in UTF-16 units. Default 32,768. */
  readonly maxStringLength: number
}

export const defaultJsonLimits: JsonLimits = { maxDepth: 32, maxValues: 10_000, maxStringLength: 32_768 }

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

const quote = 0x22
const backslash = 0x5c

/**
 * Finds problems that `JSON.parse` accepts: duplicate keys (the last one wins), keys that change prototypes, lone
 * surrogates, deep nesting, too many values.
 *
 * It is iterative and linear. It does not check the JSON syntax: `JSON.parse` does so afterwards.
 */
export function scanJson(text: string, limits: JsonLimits = defaultJsonLimits): Refusal | null {
  // One entry per open container: the keys seen so far in an object, null for an array.
  const open: (Set<string> | null)[] = []
  let keys: Set<string> | null = null
  let keyExpected = false
  let values = 0
  let index = 0
  let nextBackslash = indexOrEnd(text, '\\', 0)
  while (index < text.length) {
    const code = text.charCodeAt(index)
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        values += 1
        keys = code === 0x7b ? new Set() : null
        open.push(keys)
        if (open.length > limits.maxDepth) return { code: 'LIMIT_EXCEEDED', detail: 'TOO_DEEP' }
        keyExpected = code === 0x7b
        index += 1
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        keys = open[open.length - 1] ?? null
        keyExpected = false
        index += 1
        break
      case 0x2c: // ,
        keyExpected = keys !== null
        index += 1
        break
      case quote: {
        if (nextBackslash < index) nextBackslash = indexOrEnd(text, '\\', index)
        const plainEnd = text.indexOf('"', index + 1)
        const escaped = nextBackslash < plainEnd
        const end = escaped ? endOfString(text, index) : plainEnd + 1
        if (end <= 0) return { code: 'BAD_REQUEST', detail: 'INVALID_JSON' }
        // Most values need no check, so they are not copied.
        if (escaped || keyExpected || end - index > limits.maxStringLength) {
          const value = escaped ? unescaped(text.slice(index, end)) : text.slice(index + 1, end - 1)
          if (value === null) return { code: 'BAD_REQUEST', detail: 'INVALID_JSON' }
          // Counted after unescaping: some serializers escape each non-ASCII character as six characters.
          if (value.length > limits.maxStringLength) return { code: 'LIMIT_EXCEEDED', detail: 'STRING_TOO_LONG' }
          if (escaped && !value.isWellFormed()) return { code: 'BAD_REQUEST', detail: 'ILL_FORMED_UNICODE' }
          if (keyExpected && keys !== null) {
            if (keys.has(value)) return { code: 'BAD_REQUEST', detail: 'DUPLICATE_KEY' }
            if (forbiddenKeys.has(value)) return { code: 'BAD_REQUEST', detail: 'FORBIDDEN_KEY' }
            keys.add(value)
          }
        }
        if (keyExpected) keyExpected = false
        else values += 1
        index = end
        break
      }
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
      case 0x3a: // :
        index += 1
        break
      default:
        values += 1
        index = endOfLiteral(text, index)
    }
    if (values > limits.maxValues) return { code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_VALUES' }
  }
  return null
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from)
  return index === -1 ? text.length : index
}

/** Returns the index after the closing quote of a text with a backslash, or -1. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === backslash) index += 1
    else if (code === quote) return index + 1
  }
  return -1
}

const literalEnds = new Set([...'{}[],:" \t\n\r'].map((character) => character.charCodeAt(0)))

/** Returns the index after a number, `true`, `false`, `null`, or one invalid character. */
function endOfLiteral(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && !literalEnds.has(text.charCodeAt(index))) index += 1
  return index
}

function unescaped(raw: string): string | null {
  try {
    const value: unknown = JSON.parse(raw)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
