import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Refusal } from './error-catalogue.js'
import { defaultJsonLimits, scanJson, type JsonLimits } from './json-scan.js'
import { isUtf8Json } from './media-types.js'

/** A JSON object from a request body, or why there is none. */
export type JsonBody =
  { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly refusal: Refusal }

/** 512 KiB. */
export const defaultMaxBodyBytes = 512 * 1024

/** Checks `Content-Type` and a declared length before a byte of the body is read. */
export function refuseBodyHead(request: IncomingMessage, maxBytes: number = defaultMaxBodyBytes): Refusal | null {
  if (!isUtf8Json(request.headers['content-type'])) return { code: 'UNSUPPORTED_MEDIA_TYPE' }
  const length = request.headers['content-length']
  if (length !== undefined && Number(length) > maxBytes) return { code: 'PAYLOAD_TOO_LARGE' }
  return null
}

/** Reads a bounded body, decodes it strictly and parses it to an object. Nothing of it is in a refusal. */
export async function readJsonObject(
  request: IncomingMessage,
  options: { readonly maxBytes?: number; readonly limits?: JsonLimits } = {},
): Promise<JsonBody> {
  const bytes = await readBounded(request, options.maxBytes ?? defaultMaxBodyBytes)
  if (bytes === 'too_large') return { ok: false, refusal: { code: 'PAYLOAD_TOO_LARGE' } }
  if (bytes === 'cut_off') return { ok: false, refusal: { code: 'BAD_REQUEST', detail: 'BODY_CUT_OFF' } }
  return parseJsonObject(bytes, options.limits)
}

/** The same for bytes that are already here. */
export function parseJsonObject(bytes: Uint8Array, limits: JsonLimits = defaultJsonLimits): JsonBody {
  const refuse = (code: Refusal['code'], detail: string): JsonBody => ({ ok: false, refusal: { code, detail } })
  if (bytes.byteLength === 0) return refuse('BAD_REQUEST', 'BODY_MISSING')
  if (!isUtf8(bytes)) return refuse('BAD_REQUEST', 'INVALID_ENCODING')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  if (text.charCodeAt(0) === 0xfeff) return refuse('BAD_REQUEST', 'BYTE_ORDER_MARK')
  const refusal = scanJson(text, limits)
  if (refusal !== null) return { ok: false, refusal }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('BAD_REQUEST', 'INVALID_JSON')
  }
  if (Array.isArray(value)) return refuse('BAD_REQUEST', 'BATCHING_NOT_SUPPORTED')
  if (typeof value !== 'object' || value === null) return refuse('BAD_REQUEST', 'OBJECT_EXPECTED')
  return { ok: true, value: value as Record<string, unknown> }
}

function readBounded(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too_large' | 'cut_off'> {
  return new Promise((resolve) => {
    // A client that is gone already will not say so again.
    if (request.destroyed) {
      resolve('cut_off')
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > maxBytes) {
        request.off('data', onData)
        request.pause()
        resolve('too_large')
        return
      }
      chunks.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.once('error', () => resolve('cut_off'))
    request.once('close', () => resolve('cut_off'))
  })
}
