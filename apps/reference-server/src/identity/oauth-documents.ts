import type { JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { OauthServerError } from './oauth-server-error.js'
import { isAllowedOauthUrl } from './oauth-url.js'

/** Fetches the published documents of an OAuth server. */
export interface OauthDocuments {
  /** @throws OauthServerError */
  fetchKeySet(): Promise<JSONWebKeySet>
}

const metadata = z.object({ issuer: z.string(), jwks_uri: z.string() })
const keySet = z.object({ keys: z.array(z.unknown()).max(100) })
const key = z.looseObject({ kty: z.string() })

const timeoutMs = 5_000
const mostBytes = 512 * 1024
/** Minimum time between two fetches during an outage of the server. */
const retryMs = 2_000
const metadataAgeMs = 60 * 60 * 1000

/**
 * Fetches the key set of one issuer, found through its metadata (RFC 8414, OpenID Connect Discovery 1.0).
 *
 * It uses HTTPS only; with `allowLoopbackHttp`, also HTTP on loopback. It follows no redirect. Responses over 512 KiB
 * or slower than 5 s count as an outage. After a failure it sends no request for 2 s.
 */
export function createOauthDocuments(deps: {
  readonly issuer: string
  readonly allowLoopbackHttp: boolean
  readonly nowMs: () => number
  readonly fetch?: typeof globalThis.fetch
}): OauthDocuments {
  const { issuer, allowLoopbackHttp, nowMs, fetch = globalThis.fetch } = deps
  let failedAtMs = -Infinity
  let known: { readonly jwksUri: string; readonly foundAtMs: number } | null = null

  async function fetchJson(address: string): Promise<unknown> {
    const url = new URL(address)
    if (!isAllowedOauthUrl(url, allowLoopbackHttp)) throw new OauthServerError()
    const response = await fetch(url, {
      redirect: 'error',
      headers: { accept: 'application/json, application/jwk-set+json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 404) {
      await response.body?.cancel()
      return null
    }
    if (response.status !== 200 || response.body === null) throw new OauthServerError()
    return JSON.parse(await readBounded(response.body)) as unknown
  }

  async function findKeySetUri(): Promise<string> {
    if (known !== null && nowMs() - known.foundAtMs < metadataAgeMs) return known.jwksUri
    for (const address of metadataAddresses(issuer)) {
      const document = await fetchJson(address)
      if (document === null) continue
      const parsed = metadata.parse(document)
      // RFC 8414 §3.3: metadata of another issuer must not be used.
      if (parsed.issuer !== issuer) throw new OauthServerError()
      known = { jwksUri: parsed.jwks_uri, foundAtMs: nowMs() }
      return parsed.jwks_uri
    }
    throw new OauthServerError()
  }

  return {
    async fetchKeySet() {
      if (nowMs() - failedAtMs < retryMs) throw new OauthServerError()
      try {
        const { keys } = keySet.parse(await fetchJson(await findKeySetUri()))
        // RFC 7517 §5: invalid entries are ignored, so that one bad entry does not invalidate the tokens of the other
        // keys.
        return { keys: keys.flatMap((entry) => key.safeParse(entry).data ?? []) }
      } catch {
        failedAtMs = nowMs()
        // The key set may have moved: the metadata is read again.
        known = null
        // Errors of the network, the parser or the schema can hold an address or a key.
        throw new OauthServerError()
      }
    },
  }
}

function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks).toString('utf8')
    size += value.byteLength
    if (size > mostBytes) {
      await reader.cancel()
      throw new OauthServerError()
    }
    chunks.push(value)
  }
}
