import type { Context } from 'hono'
import { readBody } from '../http/body.js'
import { isStorable } from '../http/stored-text.js'

/** Longest form, in bytes. */
const maxFormBytes = 16 * 1024

const urlEncoded = /^application\/x-www-form-urlencoded[ \t]*(?:;.*)?$/i

/** Fields of a posted form, or the reason of the failure. */
export async function readForm(c: Context): Promise<URLSearchParams | 'not_a_form' | 'too_large' | 'cut_off'> {
  if (!urlEncoded.test(c.req.header('content-type') ?? '')) return 'not_a_form'
  if (Number(c.req.header('content-length') ?? 0) > maxFormBytes) return 'too_large'
  const body = await readBody(c, maxFormBytes)
  if (typeof body === 'string') return body
  const fields = new URLSearchParams(Buffer.from(body).toString('utf8'))
  // No browser lets anyone type a NUL.
  return [...fields].flat().every(isStorable) ? fields : 'not_a_form'
}
