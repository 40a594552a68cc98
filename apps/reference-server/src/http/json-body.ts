import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import { readBody } from './body.js'
import type { Refusal } from './error-catalogue.js'
import { defaultJsonLimits, scanJson, type JsonLimits } from './json-scan.js'
import { isUtf8Json } from './media-types.js'
import type { EdgeEnv } from './request-context.js'

/** A JSON object from a request body, or the refusal. */
export type JsonBody =
  { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly refusal: Refusal }

/** 512 KiB. */
const maxBodyBytes = 512 * 1024

/** Checks `Content-Type` and a declared length before a byte of the body is read. */
export function refuseBodyHead(c: Context<EdgeEnv>): Refusal | null {
  if (!isUtf8Json(c.req.header('content-type'))) return { code: 'UNSUPPORTED_MEDIA_TYPE' }
  const length = c.req.header('content-length')
  if (length !== undefined && Number(length) > maxBodyBytes) return { code: 'PAYLOAD_TOO_LARGE' }
  return null
}

/** Reads a body up to a limit, decodes it strictly and parses it to an object. A refusal holds no part of it. */
export async function readJsonObject(c: Context<EdgeEnv>): Promise<JsonBody> {
  const bytes = await readBody(c, maxBodyBytes)
  if (bytes === 'too_large') return { ok: false, refusal: { code: 'PAYLOAD_TOO_LARGE' } }
  if (bytes === 'cut_off') return { ok: false, refusal: { code: 'BAD_REQUEST', detail: 'BODY_CUT_OFF' } }
  return parseJsonObject(bytes)
}

/** Parses bytes that were already read. Fuzzing gives smaller limits, to reach each of them. */
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
