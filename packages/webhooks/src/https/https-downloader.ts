import type { AttemptCause } from '../delivery/webhook-store.js'
import { checkEndpointUrl, type EndpointUrlPolicy } from './endpoint-url.js'
import {
  AttemptFailure,
  connectionSettings,
  noProgress,
  openGuardedConnection,
  type GuardedConnectionOptions,
  type GuardedConnectionSettings,
} from './guarded-connection.js'
import { exchangeOnce, type ExchangeResponse } from './one-exchange.js'

/** One GET request. */
export interface DownloadRequest {
  /** URL of up to 8,192 characters; its fragment is removed. */
  readonly url: string
  /** Largest body in bytes; a larger one is `TOO_LARGE`. */
  readonly maxBytes: number
  /** Time limit for the whole download, redirects and body included, in whole milliseconds. */
  readonly timeoutMs: number
  /** Aborts the download as `ABORTED`. */
  readonly signal?: AbortSignal
}

/** Reasons why nothing was downloaded. */
export type DownloadCause =
  /** The URL is not HTTPS, has an address instead of a name, or a port or host that is not allowed. */
  | 'URL_NOT_ALLOWED'
  /** The target of a redirect is missing or not allowed. */
  | 'REDIRECT_NOT_ALLOWED'
  /** The name of the URL or of a redirect resolves to an address that is not public. */
  | 'ADDRESS_NOT_ALLOWED'
  | 'TOO_MANY_REDIRECTS'
  /** Neither 200 nor a redirect; see `status`. */
  | 'HTTP_STATUS'
  /** The announced or received body exceeds `maxBytes`. */
  | 'TOO_LARGE'
  | 'DNS_FAILED'
  | 'CONNECT_FAILED'
  | 'TLS_FAILED'
  | 'TIMEOUT'
  /** The connection broke, or the body ended before its announced length. */
  | 'CONNECTION_LOST'
  /** The response was not valid HTTP. */
  | 'INVALID_RESPONSE'
  /** The service's DNS resolver failed. */
  | 'RESOLVER_DOWN'
  /** This machine had no free socket. */
  | 'OUT_OF_SOCKETS'
  /** The service's outbound proxy failed. */
  | 'PROXY_FAILED'
  | 'ABORTED'
  | 'INTERNAL_ERROR'

/** Result of one download. */
export type DownloadResult =
  | { readonly ok: true; readonly body: Uint8Array }
  /** `status` is that of the last response, if any. */
  | { readonly ok: false; readonly cause: DownloadCause; readonly status: number | null }

/** Makes one GET, follows redirects, and returns the result. Never rejects because of a server. */
export type Downloader = (request: DownloadRequest) => Promise<DownloadResult>

/** Settings of {@link createHttpsDownloader}. Each has a default. */
export interface HttpsDownloaderOptions extends GuardedConnectionOptions {
  /** Most redirects to follow. Integer of 0 or more. Default 3. */
  readonly maxRedirects?: number
  /** Value of the `Accept` header. Default: all types. */
  readonly accept?: string
}

const maxUrlLength = 8_192
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Creates a downloader that can reach only public HTTPS servers, with any URL and any redirect.
 *
 * Every URL and every redirect is checked: its notation, its name, every address of the name, and the address of the
 * open connection. Each request uses a new connection and has no credential, cookie or referrer. Nothing is
 * decompressed.
 *
 * @example
 * ```ts
 * import { createHttpsDownloader } from '@kyc-relay/webhooks/internal'
 *
 * const download = createHttpsDownloader({ accept: 'image/*' })
 * const photo = await download({ url: 'https://partner.com/photo.jpg', maxBytes: 10_000_000, timeoutMs: 30_000 })
 * if (photo.ok) console.log(photo.body.length)
 * ```
 */
export function createHttpsDownloader(options: HttpsDownloaderOptions = {}): Downloader {
  const { maxRedirects = 3, accept = '*/*', ...connection } = options
  const settings: Settings = { ...connectionSettings(connection), maxRedirects, accept }
  return (request) => download(request, settings)
}

type Settings = GuardedConnectionSettings & Required<Pick<HttpsDownloaderOptions, 'maxRedirects' | 'accept'>>

/** Error that ends a download with a cause. */
class DownloadFailure extends Error {
  constructor(override readonly cause: DownloadCause) {
    super(cause)
  }
}

type Answer =
  | { readonly kind: 'body'; readonly body: Uint8Array }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'refused'; readonly cause: DownloadCause }

async function download(request: DownloadRequest, settings: Settings): Promise<DownloadResult> {
  const seen: { status: number | null } = { status: null }
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs)
  const signals = [deadline.signal, ...(request.signal === undefined ? [] : [request.signal])]
  const fail = (cause: DownloadCause): DownloadResult => ({ ok: false, cause, status: seen.status })
  try {
    return { ok: true, body: await follow(request, settings, seen, AbortSignal.any(signals)) }
  } catch (error) {
    if (request.signal?.aborted === true) return fail('ABORTED')
    if (error instanceof DownloadFailure) return fail(error.cause)
    if (error instanceof AttemptFailure) return fail(downloadCauses[error.cause] ?? 'INTERNAL_ERROR')
    return fail(deadline.signal.aborted ? 'TIMEOUT' : 'INTERNAL_ERROR')
  } finally {
    clearTimeout(timer)
  }
}

/** Follows redirects and returns the final body. */
async function follow(
  request: DownloadRequest,
  settings: Settings,
  seen: { status: number | null },
  signal: AbortSignal,
): Promise<Uint8Array> {
  let url = allowedUrl(request.url, undefined, settings.policy)
  if (url === null) throw new DownloadFailure('URL_NOT_ALLOWED')
  for (let redirects = 0; ; redirects++) {
    const answer = await get(url, request.maxBytes, settings, seen, signal)
    if (answer.kind === 'body') return answer.body
    if (answer.kind === 'refused') throw new DownloadFailure(answer.cause)
    if (redirects === settings.maxRedirects) throw new DownloadFailure('TOO_MANY_REDIRECTS')
    url = allowedUrl(answer.location, url, settings.policy)
    if (url === null) throw new DownloadFailure('REDIRECT_NOT_ALLOWED')
  }
}

/**
 * Checks whether a downloader with this policy would request a URL. Does not resolve the name.
 *
 * @example
 * ```ts
 * import { isDownloadUrl } from '@kyc-relay/webhooks/internal'
 *
 * isDownloadUrl('https://photos.example.com/front.jpg') // true
 * isDownloadUrl('https://photos.internal/front.jpg') // false
 * ```
 */
export function isDownloadUrl(url: string, policy: EndpointUrlPolicy = {}): boolean {
  return allowedUrl(url, undefined, policy) !== null
}

/** Returns the URL to request; null when it is refused. Checks the parsed URL, not its text. */
function allowedUrl(text: string, base: URL | undefined, policy: EndpointUrlPolicy): URL | null {
  let parsed: URL
  try {
    parsed = new URL(text, base)
  } catch {
    return null
  }
  parsed.hash = ''
  const checked = checkEndpointUrl(parsed.href, { ...policy, maxLength: maxUrlLength })
  return checked.ok ? new URL(checked.url) : null
}

async function get(
  url: URL,
  maxBytes: number,
  settings: Settings,
  seen: { status: number | null },
  signal: AbortSignal,
): Promise<Answer> {
  const socket = await openGuardedConnection(url, settings, noProgress(), signal)
  let answer: Answer = { kind: 'refused', cause: 'INTERNAL_ERROR' }
  const request = { method: 'GET', headers: { accept: settings.accept }, body: null } as const
  await exchangeOnce(url, socket, request, signal, async (response) => {
    seen.status = response.status
    answer = await readAnswer(response, maxBytes)
  })
  return answer
}

async function readAnswer({ status, headers, body }: ExchangeResponse, maxBytes: number): Promise<Answer> {
  if (redirectStatuses.has(status)) {
    const [location, ...others] = headers['location'] ?? []
    const isOne = location !== undefined && others.length === 0
    return isOne ? { kind: 'redirect', location } : refused('REDIRECT_NOT_ALLOWED')
  }
  if (status !== 200) return refused('HTTP_STATUS')
  if (Number(headers['content-length']?.[0] ?? 0) > maxBytes) return refused('TOO_LARGE')
  const whole = await readWhole(body, maxBytes)
  return whole === null ? refused('TOO_LARGE') : { kind: 'body', body: whole }
}

function refused(cause: DownloadCause): Answer {
  return { kind: 'refused', cause }
}

/** Reads the body; null when it exceeds `maxBytes`. The rest is then not read. */
async function readWhole(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const downloadCauses: Readonly<Partial<Record<AttemptCause, DownloadCause>>> = {
  ENDPOINT_NOT_ALLOWED: 'ADDRESS_NOT_ALLOWED',
  DNS_FAILED: 'DNS_FAILED',
  RESOLVER_DOWN: 'RESOLVER_DOWN',
  CONNECT_FAILED: 'CONNECT_FAILED',
  TLS_FAILED: 'TLS_FAILED',
  TIMEOUT: 'TIMEOUT',
  CONNECTION_LOST: 'CONNECTION_LOST',
  INVALID_RESPONSE: 'INVALID_RESPONSE',
  OUT_OF_SOCKETS: 'OUT_OF_SOCKETS',
  PROXY_FAILED: 'PROXY_FAILED',
}
