import type { AttemptCause, AttemptReport } from './webhook-store.js'

/** Explanation of an attempt for the partner's engineer. */
export interface AttemptExplanation {
  /** Cause of the result. */
  readonly cause: string
  /** Action for the partner. */
  readonly nextStep: string
  /** HTTPS URL to register instead, for a redirect; otherwise null. */
  readonly registerUrl: string | null
}

type Text = readonly [cause: string, nextStep: string]

const success: Text = ['The endpoint accepted the event.', 'Nothing to do.']

const retried = 'The service retries it.'

/** Their texts depend on more than the cause. */
const explainedApart = ['HTTP_STATUS', 'REDIRECT', 'TIMEOUT'] as const

const byCause: Readonly<Record<Exclude<AttemptCause, (typeof explainedApart)[number]>, Text>> = {
  CONNECT_FAILED: [
    'The service could not connect to the address of the endpoint.',
    'Check that the server runs, listens on this port and accepts connections from the public internet.',
  ],
  TLS_FAILED: [
    'The TLS handshake failed. The certificate is expired, self-signed, incomplete or for another name. Or the server speaks plain HTTP, or only HTTP/2 or TLS 1.1, or requires a client certificate, or closed the connection.',
    'Use a certificate of a public authority for exactly this name, with its intermediate certificates, over TLS 1.2 or 1.3. Require no client certificate.',
  ],
  DNS_FAILED: [
    'The name of the endpoint has no address.',
    'Check the A and AAAA records of the name. Check that its name servers answer.',
  ],
  ENDPOINT_NOT_ALLOWED: [
    'The URL is not allowed, or its name resolves to an address that is not public.',
    'Point every A and AAAA record of the name to a public address.',
  ],
  CONNECTION_LOST: [
    'The connection was closed before a response arrived.',
    'Look for a crash, or a proxy that closes the connection. Require no client certificate. Read the whole request and respond with a 2xx status.',
  ],
  INVALID_RESPONSE: [
    'The response is not valid HTTP/1.1, or its headers exceed 16 KiB.',
    'Check that an HTTPS server listens on this port. Check the headers that proxies add to the response.',
  ],
  INTERRUPTED: [
    'The service stopped during this attempt, so its result is unknown. The endpoint may have received the event.',
    `Nothing to do. ${retried} Detect duplicates by X-Event-ID.`,
  ],
  SIGNING_KEY_MISSING: [
    'Nothing was sent: the service could not read the signing key of the application.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  RESOLVER_DOWN: [
    'Nothing was sent: the service could not resolve any name.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  GRANTS_UNAVAILABLE: [
    'Nothing was sent: the service could not check whether the user still grants access.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  OUT_OF_SOCKETS: [
    'Nothing was sent: the service had no free network socket.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  HEADERS_UNAVAILABLE: [
    'Nothing was sent: the service could not read the static headers of the endpoint.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  BODY_UNAVAILABLE: [
    'Nothing was sent: the service could not open the stored body of the event.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  PROXY_FAILED: [
    'Nothing was sent: the outbound proxy of the service failed.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  NO_TIME_LEFT: [
    'Nothing was sent: the service was too slow to prepare this attempt.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  GRANT_REVOKED: [
    'Nothing was sent: the user has revoked the scopes that this event needs.',
    'To receive these events again, ask the user to authorise the application again.',
  ],
  USER_ERASED: ['Nothing was sent: the data of the user was erased.', 'Nothing to do.'],
  INTERNAL_ERROR: ['The attempt failed inside the service.', 'Nothing to do. The operator is notified.'],
}

/** Statuses with a common cause. The first digit explains other statuses. */
const byStatus: Readonly<Record<number, Text>> = {
  400: [
    'The endpoint refused the request as malformed.',
    'Read the raw body as JSON. Do not require a form or another content type.',
  ],
  401: [
    'The endpoint refused the request as not authentic.',
    'Verify X-HMAC-Signature over the raw body with the current API key. Do not require other credentials.',
  ],
  403: [
    'The endpoint, or a firewall in front of it, refused the request.',
    'Allow POST requests of this service in firewalls and bot protection. Do not require other credentials.',
  ],
  404: ['The endpoint does not serve this path.', 'Register the URL with the path of your receiver.'],
  405: ['The endpoint does not accept POST.', 'Accept POST at this path.'],
  406: ['The endpoint cannot respond in the requested format.', 'Respond with 200 and an empty body.'],
  408: [
    'The endpoint did not receive the whole request in time.',
    'Check the time limits of the proxies in front of it.',
  ],
  410: ['The endpoint reports that it was removed.', 'Remove this webhook, or register its new URL.'],
  411: ['The endpoint did not receive Content-Length, which was sent.', 'Check the proxies in front of it.'],
  413: ['The endpoint refused the size of the request.', 'Accept bodies of at least 64 KiB.'],
  415: ['The endpoint does not accept JSON.', 'Accept the content type application/json.'],
  429: ['The endpoint receives too many requests.', 'Raise its limit, or send Retry-After to delay the next attempt.'],
}

const byHundred: Readonly<Record<number, Text>> = {
  4: ['The endpoint refused the request.', 'Check the body of its response and its logs.'],
  5: [
    'The endpoint, or a proxy in front of it, failed.',
    'Check its logs at this time. Store the event, respond with 200, and process it afterwards.',
  ],
}

/** Texts for the first stage before the request that the attempt did not reach by the deadline. */
const byStage: readonly (readonly [keyof AttemptReport['timings'], Text])[] = [
  ['dnsMs', ['The name of the endpoint did not resolve in time.', 'Check that its name servers answer quickly.']],
  [
    'connectMs',
    [
      'The service could not connect in time.',
      'A firewall may drop packets. Accept connections from the public internet on this port.',
    ],
  ],
  ['tlsMs', ['The TLS handshake did not end in time.', 'Check the load of the server that terminates TLS.']],
]

const noResponse: Text = [
  'The endpoint received the request and did not respond within 30 seconds.',
  'Store the event, respond with 200 at once, and process it afterwards.',
]

const allCauses: ReadonlySet<unknown> = new Set([...explainedApart, ...Object.keys(byCause)])

/** Checks for a known cause: each one has an explanation. */
export const isAttemptCause = (value: unknown): value is AttemptCause => allCauses.has(value)

/**
 * Explains the result of an attempt and the next step. All texts are fixed. Of the response, only the URL of a redirect
 * is repeated.
 *
 * @param endpointUrl - URL of the endpoint; a relative `Location` is resolved against it
 *
 * @example
 * ```ts
 * import { explainAttempt, reportOfCause } from '@kyc-relay/webhooks/delivery'
 *
 * explainAttempt(reportOfCause('DNS_FAILED'), 'https://partner.com/hooks').nextStep
 * ```
 */
export function explainAttempt(
  report: Pick<AttemptReport, 'cause' | 'status' | 'timings' | 'responseHeaders'>,
  endpointUrl: string,
): AttemptExplanation {
  if (report.cause === 'REDIRECT') return explainRedirect(report.responseHeaders['location'], endpointUrl)
  const [cause, nextStep] = textOf(report, endpointUrl)
  return { cause, nextStep, registerUrl: null }
}

function textOf(report: Pick<AttemptReport, 'cause' | 'status' | 'timings'>, endpointUrl: string): Text {
  switch (report.cause) {
    case null:
      return success
    case 'REDIRECT':
      return byCause.INVALID_RESPONSE
    case 'TIMEOUT':
      return textOfTimeout(report.timings, endpointUrl)
    case 'HTTP_STATUS': {
      const status = report.status ?? 0
      return byStatus[status] ?? byHundred[Math.floor(status / 100)] ?? byCause.INVALID_RESPONSE
    }
    default:
      return byCause[report.cause]
  }
}

function textOfTimeout(timings: AttemptReport['timings'], endpointUrl: string): Text {
  // Plain HTTP, which a policy can allow for localhost, has no TLS handshake.
  const isPlain = endpointUrl.startsWith('http:')
  const missed = byStage.find(([stage]) => timings[stage] === null && !(isPlain && stage === 'tlsMs'))
  return missed?.[1] ?? noResponse
}

function explainRedirect(location: string | undefined, endpointUrl: string): AttemptExplanation {
  const cause = 'The endpoint redirects, and redirects are not followed: they count as a failure.'
  const registerUrl = httpsTarget(location, endpointUrl)
  const nextStep =
    registerUrl === null
      ? 'Register the final HTTPS URL, the one that answers without a redirect.'
      : 'Register the URL that it redirects to, if that one answers without a redirect, and remove this one.'
  return { cause, nextStep, registerUrl }
}

/** A longer location was cut in the attempt log, and other characters are not as the endpoint meant them. */
const wholeLocation = /^[\x21-\x7e]{1,1023}$/

function httpsTarget(location: string | undefined, endpointUrl: string): string | null {
  if (location === undefined || !wholeLocation.test(location)) return null
  try {
    const target = new URL(location, endpointUrl)
    const plain = target.username === '' && target.password === ''
    target.hash = ''
    return target.protocol === 'https:' && plain && target.href !== endpointUrl ? target.href : null
  } catch {
    return null
  }
}
