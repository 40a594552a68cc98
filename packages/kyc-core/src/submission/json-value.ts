import { pointerOfKey } from './json-pointer.js'
import { isOptionalText } from './optional-texts.js'
import { createViolation, type Violation } from './violation.js'

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** An object of JSON. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Returns a member of a value that may be an object. */
export function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null ? (value as JsonObject)[key] : undefined
}

/** Names of the open objects. Their content is stored unchanged, keys included. */
export const FREE_FORM_FIELDS: ReadonlySet<string> = new Set([
  'personData',
  'documentData',
  'ssnData',
  'databaseData',
  'externalProviderData',
])

/** Text fields for people, and lines of an address: line breaks and tabs are allowed. */
const FREE_TEXT_FIELDS: ReadonlySet<string> = new Set([
  'decisionReason',
  'reasons',
  'streetLine1',
  'streetLine2',
  'city',
])

/** Property names that can change the prototype of an object when they are copied. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Limits of one submission. */
export const JSON_LIMITS = {
  /** Levels of nesting. */
  depth: 32,
  /** Values of any type, all levels together. */
  values: 10_000,
  /** UTF-8 bytes of one string. */
  stringBytes: 32 * 1024,
  /** UTF-8 bytes of one free-form part as JSON. */
  freeFormBytes: 128 * 1024,
} as const

/** Plain text: most values match and need no further check. */
const PLAIN = /^[ -~]*$/
const LONE_SURROGATE = /\p{Surrogate}/u
/* eslint-disable no-control-regex -- this pattern finds control characters */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const CONTROL_EXCEPT_LINE_BREAKS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
/* eslint-enable no-control-regex */

/** Counts the UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    // A surrogate pair has four bytes: two for each half.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3
  }
  return bytes
}

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value) as object | null
  // Not compared with `Object.prototype`: an object of another realm has another one.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Position of a value; it decides how the value is read. */
interface Place {
  /** Inside an open object: any key is allowed, and null is a value. */
  readonly freeForm: boolean
  /** The value is a text for people. */
  readonly lineBreaks: boolean
}

const CLOSED: Place = { freeForm: false, lineBreaks: false }
const CLOSED_TEXT: Place = { freeForm: false, lineBreaks: true }
const FREE_FORM: Place = { freeForm: true, lineBreaks: true }

/** Returns the position of a member's value. */
function placeOfMember(place: Place, key: string): Place {
  if (place.freeForm || FREE_FORM_FIELDS.has(key)) return FREE_FORM
  return place.lineBreaks || FREE_TEXT_FIELDS.has(key) ? CLOSED_TEXT : CLOSED
}

/** A copy of the input with well-formed JSON only, and the violations of the omitted values. */
export interface ReadJson {
  readonly value: JsonValue | undefined
  readonly violations: readonly Violation[]
}

/**
 * Copies an unknown value as JSON. Null members of closed objects are dropped because null equals absent, and so are
 * empty optional texts. Reports values that JSON cannot hold exactly or safely. Never throws and never changes its
 * input.
 */
export function readJson(input: unknown): ReadJson {
  const violations: Violation[] = []
  let values = 0
  let overflow = false

  function refuse(pointer: string, code: Violation['code']): undefined {
    violations.push(createViolation(pointer, code))
    return undefined
  }

  function readText(text: string, pointer: string, lineBreaks: boolean): string {
    if (text.length <= JSON_LIMITS.stringBytes && PLAIN.test(text)) return text
    if (LONE_SURROGATE.test(text)) refuse(pointer, 'ILL_FORMED_UNICODE')
    else if (text.length > JSON_LIMITS.stringBytes || utf8Bytes(text) > JSON_LIMITS.stringBytes)
      refuse(pointer, 'TOO_LONG')
    else if ((lineBreaks ? CONTROL_EXCEPT_LINE_BREAKS : CONTROL).test(text)) refuse(pointer, 'CONTROL_CHARACTER')
    return text
  }

  function readMember(
    object: Record<string, JsonValue>,
    key: string,
    value: unknown,
    parent: { readonly pointer: string; readonly depth: number; readonly place: Place },
  ): void {
    const pointer = pointerOfKey(parent.pointer, key)
    if (FORBIDDEN_KEYS.has(key)) return void refuse(parent.pointer, 'UNKNOWN_FIELD')
    if (parent.place.freeForm) readText(key, pointer, parent.place.lineBreaks)
    if (value === undefined || (value === null && !parent.place.freeForm)) return
    if (value === '' && isOptionalText(pointer)) return
    const place = placeOfMember(parent.place, key)
    const read = readValue(value, pointer, parent.depth + 1, place)
    if (read === undefined) return
    object[key] = read
    const opens = place.freeForm && !parent.place.freeForm
    if (opens && utf8Bytes(JSON.stringify(read)) > JSON_LIMITS.freeFormBytes) refuse(pointer, 'TOO_LONG')
  }

  function readValue(value: unknown, pointer: string, depth: number, place: Place): JsonValue | undefined {
    values += 1
    if (values > JSON_LIMITS.values) {
      overflow = true
      return refuse('', 'TOO_LONG')
    }
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string') return readText(value, pointer, place.lineBreaks)
    if (typeof value === 'number') {
      const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
      return exact ? value : refuse(pointer, 'UNSAFE_NUMBER')
    }
    if (typeof value === 'bigint') return refuse(pointer, 'UNSAFE_NUMBER')
    if (typeof value !== 'object') return refuse(pointer, value === undefined ? 'REQUIRED' : 'TYPE')
    if (depth > JSON_LIMITS.depth) return refuse(pointer, 'TOO_LONG')
    if (Array.isArray(value)) return readArray(value, pointer, depth, place)
    if (!isPlainObject(value)) return refuse(pointer, 'TYPE')
    const object: Record<string, JsonValue> = {}
    const parent = { pointer, depth, place }
    for (const key of Object.keys(value)) {
      if (overflow) break
      readMember(object, key, value[key], parent)
    }
    return object
  }

  function readArray(array: readonly unknown[], pointer: string, depth: number, place: Place): JsonValue[] {
    const read: JsonValue[] = []
    for (let index = 0; index < array.length && !overflow; index += 1) {
      const item = array[index]
      read.push(readValue(item === undefined ? null : item, `${pointer}/${index}`, depth + 1, place) ?? null)
    }
    return read
  }

  const value = readValue(input, '', 1, CLOSED)
  return { value, violations }
}
