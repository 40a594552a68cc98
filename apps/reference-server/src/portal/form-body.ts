import type { IncomingMessage } from 'node:http'

/** Longest form, in bytes. */
export const maxFormBytes = 16 * 1024

const urlEncoded = /^application\/x-www-form-urlencoded[ \t]*(?:;.*)?$/i

/** Fields of a posted form, or why there are none. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | 'not_a_form' | 'too_large'> {
  if (!urlEncoded.test(request.headers['content-type'] ?? '')) return 'not_a_form'
  if (Number(request.headers['content-length'] ?? 0) > maxFormBytes) return 'too_large'
  const chunks: Buffer[] = []
  let size = 0
  // Not destroyed when it turns out too large: the answer goes over the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > maxFormBytes) return 'too_large'
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
