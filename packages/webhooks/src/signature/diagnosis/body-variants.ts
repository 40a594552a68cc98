import type { MismatchCause } from '../explain-mismatch.js'
import { decodeUtf8 } from '../runtime.js'
import { depthOf, describeJson, jsonDialects, rewriteJson } from './json-dialects.js'

/** No event has more levels of JSON. Indenting a much deeper body would multiply its length. */
const mostLevels = 32

/** A possible form of the signed body. */
export interface BodyVariant {
  readonly cause: MismatchCause
  /** Difference from the given body. */
  readonly evidence: string
  readonly body: string | Uint8Array
}

/** Generates possible forms of the signed body, most likely first. Each is computed on demand. */
export function* bodyVariants(bytes: Uint8Array): Generator<BodyVariant> {
  const text = decodeLeniently(bytes)
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  if (bom)
    yield variant(
      'BODY_BOM_ADDED',
      'The body starts with a byte order mark (BOM) that was not signed.',
      bytes.subarray(3),
    )
  if (text === null) {
    yield* recodedVariants(bytes)
    return
  }
  yield* whiteSpaceVariants(text)
  yield* wrappedVariants(text)
  yield* jsonVariants(text)
  yield* recodedVariants(bytes)
  if (!bom)
    yield variant(
      'BODY_BOM_REMOVED',
      'The signed body starts with a byte order mark (BOM) that is missing here.',
      `\uFEFF${text}`,
    )
}

function* whiteSpaceVariants(text: string): Generator<BodyVariant> {
  const withoutNewline = text.replace(/(?<![\r\n])[\r\n]+$/, '')
  if (withoutNewline !== text) {
    yield variant('BODY_NEWLINE_ADDED', 'The body ends with a trailing newline that was not signed.', withoutNewline)
  }
  const trimmed = text.trim()
  if (trimmed !== text && trimmed !== withoutNewline) {
    yield variant('BODY_WHITE_SPACE_ADDED', 'The body has white space around it that was not signed.', trimmed)
  }
  if (text.includes('\r\n')) {
    yield variant(
      'BODY_LINE_ENDINGS_CHANGED',
      'The body has CRLF line endings; the signed body has LF.',
      text.replaceAll('\r\n', '\n'),
    )
  } else if (text.includes('\n')) {
    yield variant(
      'BODY_LINE_ENDINGS_CHANGED',
      'The body has LF line endings; the signed body has CRLF.',
      text.replaceAll('\n', '\r\n'),
    )
  }
  yield variant('BODY_NEWLINE_REMOVED', 'The signed body ends with a newline that is missing here.', `${text}\n`)
  yield variant(
    'BODY_NEWLINE_REMOVED',
    'The signed body ends with a newline (CRLF) that is missing here.',
    `${text}\r\n`,
  )
}

/** Generates bodies that are wrapped in another format. */
function* wrappedVariants(text: string): Generator<BodyVariant> {
  const decoded = decodeBase64(text)
  if (decoded) yield variant('BODY_BASE64', 'The body is base64; its decoded bytes were signed.', decoded)

  const value = parseJson(text)
  if (typeof value === 'string') {
    yield variant(
      'BODY_ENCODED_TWICE',
      'The body is a JSON string with the signed JSON inside: it was encoded twice.',
      value,
    )
  }
  if (typeof value === 'object' && value !== null) yield* envelopeVariants(value as Record<string, unknown>)

  if (value === undefined && /^[^\s{}[\]"]+$/.test(text)) {
    for (const part of text.split('&', 4)) {
      const [name = '', ...rest] = part.split('=')
      for (const encoded of [rest.join('='), name]) {
        const plain = decodeForm(encoded)
        if (plain.startsWith('{'))
          yield variant('BODY_FORM_ENCODED', 'The body is form-encoded; the JSON inside it was signed.', plain)
      }
    }
    const plain = decodeForm(text)
    if (plain !== text)
      yield variant('BODY_URL_ENCODED', 'The body is URL-encoded; its decoded form was signed.', plain)
  }
}

function* envelopeVariants(value: Record<string, unknown>): Generator<BodyVariant> {
  const { body, data, type, isBase64Encoded } = value
  if (typeof body === 'string') {
    const inner = (isBase64Encoded === true ? decodeBase64(body) : null) ?? body
    yield variant('BODY_INSIDE_EVENT', 'The whole platform event was passed; only its "body" was signed.', inner)
  }
  if (type === 'Buffer' && Array.isArray(data) && data.every(Number.isInteger)) {
    const inner = Uint8Array.from(data, Number)
    yield variant(
      'BODY_BUFFER_AS_JSON',
      'The body is a Buffer written as JSON ({"type":"Buffer",…}); its bytes were signed.',
      inner,
    )
  }
}

function* jsonVariants(text: string): Generator<BodyVariant> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || depthOf(text) > mostLevels) return
  for (const dialect of jsonDialects) {
    yield variant(
      'BODY_RESERIALISED',
      `The body was parsed and serialised again: ${describeJson(text)} was passed, ${dialect.name} was signed.`,
      rewriteJson(text, dialect),
    )
  }
  yield variant(
    'BODY_RESERIALISED',
    `The body was parsed and serialised again: numbers or keys are written differently from JSON.stringify, which wrote what was signed.`,
    JSON.stringify(value),
  )
}

/** Undoes decoding with a wrong character set. */
function* recodedVariants(bytes: Uint8Array): Generator<BodyVariant> {
  const text = decodeLeniently(bytes)
  if (text === null) {
    // Each byte is one character (ISO 8859-1); UTF-8 was signed.
    const asUtf8 = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
    yield variant('BODY_WRONG_CHARSET', 'The body is not UTF-8: it was encoded as ISO 8859-1 (latin1).', asUtf8)
  } else if (/[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text)) {
    const asLatin1 = Uint8Array.from(text, (character) => character.charCodeAt(0))
    yield variant(
      'BODY_WRONG_CHARSET',
      'The bytes of the body were decoded as ISO 8859-1 (latin1), not as UTF-8.',
      asLatin1,
    )
  }
}

function variant(cause: MismatchCause, evidence: string, body: string | Uint8Array): BodyVariant {
  return { cause, evidence, body }
}

/** Decodes UTF-8; null for other bytes. */
export function decodeLeniently(bytes: Uint8Array): string | null {
  try {
    return decodeUtf8(bytes)
  } catch {
    return null
  }
}

/** Parses JSON; undefined for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Decodes base64 or base64url; null for other text. */
export function decodeBase64(text: string): Uint8Array | null {
  const plain = text.trim().replaceAll('-', '+').replaceAll('_', '/').replace(/\s+/g, '')
  if (plain.length < 4 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) return null
  try {
    return Uint8Array.from(atob(plain.replaceAll('=', '')), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
