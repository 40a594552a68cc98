import type { Context } from 'hono'
import { readBody } from '../http/body.js'

/** Longest form, in bytes. */
export const maxFormBytes = 16 * 1024

const urlEncoded = /^application\/x-www-form-urlencoded[ \t]*(?:;.*)?$/i

/** Fields of a posted form, or the reason of the failure. */
export async function readForm(c: Context): Promise<URLSearchParams | 'not_a_form' | 'too_large' | 'cut_off'> {
  if (!urlEncoded.test(c.req.header('content-type') ?? '')) return 'not_a_form'
  if (Number(c.req.header('content-length') ?? 0) > maxFormBytes) return 'too_large'
  const body = await readBody(c, maxFormBytes)
  return typeof body === 'string' ? body : new URLSearchParams(Buffer.from(body).toString('utf8'))
}
