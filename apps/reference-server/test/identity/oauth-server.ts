import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose'
import Provider from 'oidc-provider'

export const audience = 'https://kyc.example.com'
export const clientId = 'b54c7a90-2d3e-4f1a-8b6c-9e8d7c6b5a03'
export const userId = '0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01'
export const scopes = 'VERIFY_KYC LIST_PAYMENT'
const redirectUri = 'https://partner.example.com/callback'

/** A key of the OAuth server. */
export interface ServerKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

export async function createServerKey(kid: string, alg = 'RS256'): Promise<ServerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' } }
}

/** A real OAuth server on loopback, whose keys can be changed and which can be down. */
export interface OauthServer {
  readonly issuer: string
  /** Paths that were asked for, in order. */
  readonly requests: string[]
  /** Serves these keys from now on and signs with the first. */
  useKeys(keys: readonly ServerKey[]): void
  /** Registers one more client. */
  addClient(id: string): void
  /** Null answers as usual; otherwise this answers instead. */
  answerWith(listener: RequestListener | null): void
  /** An access token, got as a partner's app gets one: authorization code with PKCE, login and consent. */
  authorize(options?: { readonly login?: string; readonly scope?: string; readonly client?: string }): Promise<string>
  close(): Promise<void>
}

/** @param tls A certificate for `localhost`; without it the server speaks HTTP. */
export async function startOauthServer(
  keys: readonly ServerKey[],
  tls: Pick<ServerOptions, 'cert' | 'key'> | null = null,
): Promise<OauthServer> {
  let handle: RequestListener = (_request, response) => response.writeHead(503).end()
  let instead: RequestListener | null = null
  const requests: string[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(request.url ?? '')
    ;(instead ?? handle)(request, response)
  }
  const server: Server = tls === null ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = tls === null ? `http://127.0.0.1:${port}` : `https://localhost:${port}`

  const clients = [clientId, 'not a uuid']
  const providers = new Map<string, RequestListener>()
  const useKeys = (next: readonly ServerKey[]) => {
    const name = JSON.stringify([clients, next.map(({ jwk }) => jwk)])
    const listener = providers.get(name) ?? listenerOf(createProvider(issuer, next, clients))
    providers.set(name, listener)
    handle = listener
  }
  useKeys(keys)
  return {
    issuer,
    requests,
    useKeys,
    addClient(id) {
      clients.push(id)
      useKeys(keys)
    },
    answerWith: (listener) => {
      instead = listener
    },
    authorize: (options = {}) => authorize(issuer, options),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listenerOf(provider: Provider): RequestListener {
  const callback = provider.callback()
  return (request, response) => void callback(request, response)
}

function createProvider(issuer: string, keys: readonly ServerKey[], clients: readonly string[]): Provider {
  const client = {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none' as const,
    grant_types: ['authorization_code'],
    response_types: ['code' as const],
  }
  return new Provider(issuer, {
    clients: clients.map((id) => ({ client_id: id, ...client })),
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    cookies: { keys: ['a test secret'] },
    scopes: ['openid', ...scopes.split(' ')],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: scopes,
          audience,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: 600,
          jwt: { sign: { alg: (keys[0]?.alg ?? 'RS256') as 'RS256' } },
        }),
      },
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  })
}

async function authorize(
  issuer: string,
  options: { readonly login?: string; readonly scope?: string; readonly client?: string },
): Promise<string> {
  const cookies = new Map<string, string>()
  async function step(url: string, form: URLSearchParams | null): Promise<string> {
    const response = await fetch(new URL(url, issuer), {
      method: form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === null ? {} : { body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined && value !== undefined) cookies.set(name, value)
    }
    await response.text()
    return response.headers.get('location') ?? ''
  }
  const verifier = 'a-code-verifier-of-a-test-that-is-long-enough-0123456789'
  const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')
  const client = options.client ?? clientId
  const query = new URLSearchParams({
    client_id: client,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: `openid ${options.scope ?? scopes}`,
    resource: audience,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  let next = await step(`/auth?${query.toString()}`, null)
  for (const form of [
    new URLSearchParams({ prompt: 'login', login: options.login ?? userId, password: 'any' }),
    new URLSearchParams({ prompt: 'consent' }),
  ]) {
    next = await step(await step(next, form), null)
  }
  const code = new URL(next).searchParams.get('code') ?? ''
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: client,
      code_verifier: verifier,
      resource: audience,
    }),
  })
  const answer = (await response.json()) as { access_token?: string; error_description?: string }
  if (answer.access_token === undefined) throw new Error(`no token: ${answer.error_description ?? response.status}`)
  return answer.access_token
}

/** A token of any content, signed with a key of the server or with somebody else's. */
export function forge(
  key: { readonly kid: string; readonly alg: string; readonly privateKey: CryptoKey | Uint8Array },
  claims: JWTPayload,
  header: Record<string, unknown> = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
    .sign(key.privateKey)
}
