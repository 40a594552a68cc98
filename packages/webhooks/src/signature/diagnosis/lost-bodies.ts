import type { Diagnosis } from '../explain-mismatch.js'
import { decodeLeniently, parseJson } from './body-variants.js'
import { describeJson } from './json-dialects.js'

/** Describes a value that was passed instead of the raw body. */
export function inspectParsedBody(body: unknown): string {
  if (typeof body !== 'object' || body === null) return `A ${typeof body} was passed instead of the raw body.`
  if ('then' in body) return 'A promise was passed instead of the raw body: an await is missing.'
  if ('getReader' in body || 'pipe' in body)
    return 'A stream was passed instead of the raw body. Read it to its end first.'
  if ('headers' in body) return 'A request was passed instead of its raw body.'
  return 'A parsed object was passed instead of the raw body. Serialising it again does not give the signed bytes.'
}

/** Finds signs of a change that cannot be undone and so cannot be proved. */
export function inspectLostBody(
  bytes: Uint8Array,
  contentLength: string | undefined,
): Pick<Diagnosis, 'cause' | 'confidence' | 'evidence'> | null {
  const text = decodeLeniently(bytes)
  if (text !== null && /^\[object \w+\]/.test(text)) {
    const evidence = 'The body is the text "[object Object]": a parsed object was turned into a string.'
    return { cause: 'BODY_OBJECT_AS_TEXT', confidence: 'proved', evidence }
  }
  if (text?.includes('\uFFFD')) {
    const evidence = 'The body contains U+FFFD: bytes were lost when it was decoded with the wrong character set.'
    return { cause: 'BODY_WRONG_CHARSET', confidence: 'probable', evidence }
  }
  const announced = contentLength !== undefined && /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : null
  const lengths = announced === null ? '' : ` Content-Length is ${announced} bytes; ${bytes.length} bytes were passed.`
  const isJson = text !== null && parseJson(text) !== undefined
  if (!isJson && text !== null && /^\s*[[{]/.test(text)) {
    return {
      cause: 'BODY_TRUNCATED',
      confidence: 'probable',
      evidence: `The body starts as JSON and is cut off.${lengths}`,
    }
  }
  if (text !== null && isJson && describeJson(text) !== 'compact JSON') {
    const evidence = `The body is ${describeJson(text)}, not the compact JSON that the service sends: it was parsed and serialised again.${lengths}`
    return { cause: 'BODY_RESERIALISED', confidence: 'probable', evidence }
  }
  if (announced !== null && announced !== bytes.length) {
    const cause = announced > bytes.length && !isJson ? 'BODY_TRUNCATED' : 'BODY_LENGTH_CHANGED'
    return { cause, confidence: 'probable', evidence: `The body was changed in transit.${lengths}` }
  }
  return null
}
