import type { AttemptCause, AttemptReport } from './webhook-store.js'

/** What an attempt means, in words for the partner's engineer. */
export interface AttemptExplanation {
  /** What happened. */
  readonly cause: string
  /** What to do about it. */
  readonly nextStep: string
  /** Of a redirect, the HTTPS URL to register instead; null when there is none. */
  readonly registerUrl: string | null
}

type Text = readonly [cause: string, nextStep: string]

const success: Text = ['The endpoint accepted the event.', 'Nothing to do.']

const retried = 'It is tried again by itself.'

const byCause: Readonly<Record<Exclude<AttemptCause, 'HTTP_STATUS' | 'REDIRECT' | 'TIMEOUT'>, Text>> = {
  CONNECT_FAILED: [
    'No connection could be made to the address of the endpoint.',
    'Check that the server runs, listens on this port and lets the public internet in.',
  ],
  TLS_FAILED: [
    'The TLS handshake failed: the certificate is expired, self-signed, incomplete or for another name, or the server speaks nothing newer than TLS 1.1.',
    'Serve a certificate of a public authority for exactly this name, with its intermediate certificates, over TLS 1.2 or 1.3.',
  ],
  DNS_FAILED: [
    'The name of the endpoint has no address.',
    'Check the A and AAAA records of the name, and that its name servers answer.',
  ],
  ENDPOINT_NOT_ALLOWED: [
    'The URL, or an address that its name resolves to, is not a public one.',
    'Let every A and AAAA record of the name point to a public address.',
  ],
  CONNECTION_LOST: [
    'The connection was closed before an answer came.',
    'Look for a crash or a proxy that cut the request short. Read the request to its end and answer with a 2xx status.',
  ],
  INVALID_RESPONSE: [
    'What came back is not a valid HTTP/1.1 answer, or its headers are larger than 16 KiB.',
    'Check that an HTTPS server listens on this port, and what proxies add to the answer.',
  ],
  INTERRUPTED: [
    'The service stopped during this attempt, so its end is unknown; the endpoint may have received it.',
    `Nothing to do: ${retried} Detect duplicates by X-Event-ID.`,
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
    'Nothing was sent: the service had no network socket left.',
    `Nothing to do for you: ${retried} It does not count as an attempt.`,
  ],
  GRANT_REVOKED: [
    'Nothing was sent: the user no longer grants the scopes that this event needs.',
    'Ask the user to authorise the application again if it should go on receiving such events.',
  ],
  INTERNAL_ERROR: ['The attempt failed inside the service.', 'Nothing to do for you; the operator is told.'],
}

/** Statuses that have a usual reason; the others are explained by their hundreds. */
const byStatus: Readonly<Record<number, Text>> = {
  400: [
    'The endpoint refused the request as malformed.',
    'Read the raw body as JSON; do not expect a form or another content type.',
  ],
  401: [
    'The endpoint refused the request as not authentic.',
    'Verify X-HMAC-Signature over the raw body with the current API key, and require no other credentials.',
  ],
  403: [
    'The endpoint, or a firewall in front of it, refused the request.',
    'Allow POST requests of this service through firewalls and bot protection; require no other credentials.',
  ],
  404: ['There is nothing at this path.', 'Register the URL with the path that your receiver serves.'],
  405: ['The endpoint does not take POST.', 'Serve POST at this path.'],
  406: ['The endpoint wants to answer in a form that was not asked for.', 'Answer 200 with an empty body.'],
  408: ['The endpoint gave up waiting for the request.', 'Look at the time limits of the proxies in front of it.'],
  410: ['The endpoint says that it is gone for good.', 'Remove this webhook, or register its new URL.'],
  411: ['The endpoint misses a Content-Length that was sent.', 'Look at the proxies in front of it.'],
  413: ['The endpoint refused the size of the request.', 'Accept bodies of at least 64 KiB.'],
  415: ['The endpoint does not take JSON.', 'Accept the content type application/json.'],
  429: ['The endpoint is receiving too much.', 'Raise its limit; answer with Retry-After to be given more time.'],
}

const byHundred: Readonly<Record<number, Text>> = {
  4: ['The endpoint refused the request.', 'Look at the body of its answer and at its logs.'],
  5: [
    'The endpoint, or a proxy in front of it, failed.',
    'Look at its logs at this time. Store the event, answer 200, and work on it afterwards.',
  ],
}

/** The first stage that was not reached by the deadline. */
const byStage: readonly (readonly [keyof AttemptReport['timings'], Text])[] = [
  ['dnsMs', ['The name of the endpoint did not resolve in time.', 'Check that its name servers answer quickly.']],
  [
    'connectMs',
    [
      'No connection was made in time.',
      'A firewall may drop packets silently: let the public internet in on this port.',
    ],
  ],
  ['tlsMs', ['The TLS handshake did not end in time.', 'Check the load of the server that terminates TLS.']],
  [
    'firstByteMs',
    [
      'The endpoint took the request and did not answer within 30 seconds.',
      'Store the event, answer 200 at once, and work on it afterwards.',
    ],
  ],
]

/**
 * Says in plain words what an attempt saw and what to do next. All texts are fixed; nothing of the answer is repeated
 * but the URL of a redirect.
 *
 * @param endpointUrl - the URL that was sent to, against which a relative `Location` is read
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
  const [cause, nextStep] = textOf(report)
  return { cause, nextStep, registerUrl: null }
}

function textOf(report: Pick<AttemptReport, 'cause' | 'status' | 'timings'>): Text {
  switch (report.cause) {
    case null:
      return success
    case 'REDIRECT':
      return byCause.INVALID_RESPONSE
    case 'TIMEOUT':
      return byStage.find(([stage]) => report.timings[stage] === null)?.[1] ?? byHundred[5] ?? success
    case 'HTTP_STATUS': {
      const status = report.status ?? 0
      return byStatus[status] ?? byHundred[Math.floor(status / 100)] ?? byCause.INVALID_RESPONSE
    }
    default:
      return byCause[report.cause]
  }
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

function httpsTarget(location: string | undefined, endpointUrl: string): string | null {
  if (location === undefined) return null
  try {
    const target = new URL(location, endpointUrl)
    const plain = target.username === '' && target.password === ''
    target.hash = ''
    return target.protocol === 'https:' && plain ? target.href : null
  } catch {
    return null
  }
}
