import { describe, expect, test } from 'vitest'
import { reportOfCause } from '../../src/delivery/delivery-state.js'
import { explainAttempt } from '../../src/delivery/explain-attempt.js'
import type { AttemptCause, AttemptReport } from '../../src/delivery/webhook-store.js'

const endpointUrl = 'https://partner.com/hooks/kyc'
const causes: readonly AttemptCause[] = [
  'HTTP_STATUS',
  'REDIRECT',
  'TIMEOUT',
  'CONNECT_FAILED',
  'TLS_FAILED',
  'DNS_FAILED',
  'ENDPOINT_NOT_ALLOWED',
  'CONNECTION_LOST',
  'INVALID_RESPONSE',
  'INTERRUPTED',
  'SIGNING_KEY_MISSING',
  'RESOLVER_DOWN',
  'GRANT_REVOKED',
  'GRANTS_UNAVAILABLE',
  'OUT_OF_SOCKETS',
  'NO_TIME_LEFT',
  'HEADERS_UNAVAILABLE',
  'BODY_UNAVAILABLE',
  'USER_ERASED',
  'PROXY_FAILED',
  'INTERNAL_ERROR',
]

test.each(causes)('%s has a cause and a next step in whole sentences', (cause) => {
  const { cause: happened, nextStep } = explainAttempt(reportOfCause(cause), endpointUrl)
  for (const text of [happened, nextStep]) expect(text).toMatch(/^[A-Z].{10,}\.$/)
})

test.each([
  ['TLS_FAILED', ['plain HTTP', 'client certificate', 'closed the connection']],
  // A TLS 1.3 server refuses a missing certificate after the handshake.
  ['CONNECTION_LOST', ['client certificate']],
] as const)('%s also names %j', (cause, words) => {
  const { cause: happened, nextStep } = explainAttempt(reportOfCause(cause), endpointUrl)
  for (const word of words) expect(`${happened} ${nextStep}`).toContain(word)
})

test('every status is explained, and the usual ones have a text of their own', () => {
  const texts = new Map<number, string>()
  for (let status = 400; status <= 999; status += 1) {
    const { nextStep } = explainAttempt({ ...reportOfCause('HTTP_STATUS'), status }, endpointUrl)
    expect(nextStep).toMatch(/\.$/)
    texts.set(status, nextStep)
  }
  const usual = [400, 401, 403, 404, 405, 410, 413, 415, 429, 500]
  expect(new Set(usual.map((status) => texts.get(status))).size).toBe(usual.length)
  expect(texts.get(401)).toContain('X-HMAC-Signature')
})

test('a success needs nothing', () => {
  const report = { ...reportOfCause('HTTP_STATUS'), cause: null, status: 200 }
  expect(explainAttempt(report, endpointUrl).nextStep).toBe('Nothing to do.')
})

describe('a timeout names the stage that was not reached', () => {
  const stages = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'] as const
  test.each([
    [0, 'resolve'],
    [1, 'could not connect'],
    [2, 'TLS'],
    [3, 'did not respond'],
    [4, 'did not respond'],
  ])('after %i stages', (reached, words) => {
    const timings = { ...reportOfCause('TIMEOUT').timings }
    const done = Object.fromEntries(stages.slice(0, reached).map((stage) => [stage, 1]))
    const report: AttemptReport = { ...reportOfCause('TIMEOUT'), timings: { ...timings, ...done } }
    expect(explainAttempt(report, endpointUrl).cause).toContain(words)
  })
})

test('a timeout of an endpoint with plain HTTP is not explained by a TLS handshake', () => {
  const timings = { ...reportOfCause('TIMEOUT').timings, dnsMs: 1, connectMs: 1 }
  const explained = explainAttempt({ ...reportOfCause('TIMEOUT'), timings }, 'http://localhost:3000/hooks')
  expect(explained.cause).toContain('did not respond')
})

describe('a redirect says which URL to register', () => {
  test.each([
    ['https://www.partner.com/hooks/kyc', 'https://www.partner.com/hooks/kyc'],
    ['/v2/hooks', 'https://partner.com/v2/hooks'],
    ['kyc/', 'https://partner.com/hooks/kyc/'],
    ['//cdn.partner.com/x', 'https://cdn.partner.com/x'],
    ['https://partner.com/x#part', 'https://partner.com/x'],
    ['http://partner.com/hooks/kyc', null],
    ['https://user:password@partner.com/', null],
    ['javascript:alert(1)', null],
    ['https://', null],
    [undefined, null],
    // Back to the endpoint itself, as for a cookie or a login
    ['', null],
    [endpointUrl, null],
    ['#top', null],
    // Cut in the attempt log at 1,024 characters
    [`https://partner.com/${'x'.repeat(1_004)}`, null],
    // UTF-8 that was read as Latin-1
    ['/\u00c3\u00a9', null],
  ])('Location %s', (location, registerUrl) => {
    const report: AttemptReport = {
      ...reportOfCause('REDIRECT'),
      status: 308,
      responseHeaders: location === undefined ? {} : { location },
    }
    const explanation = explainAttempt(report, endpointUrl)
    expect(explanation.registerUrl).toBe(registerUrl)
    expect(explanation.nextStep).toContain(registerUrl === null ? 'final HTTPS URL' : 'URL that it redirects to')
  })
})
