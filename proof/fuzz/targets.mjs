import { readFileSync } from 'node:fs'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { verifyWebhook, WebhookVerificationError } from '@kyc-relay/webhooks'
import { checkEndpointUrl, isPublicAddress } from '@kyc-relay/webhooks/https'
import { documentBugs, documents } from './documents.mjs'
import { jsonBody, jsonBugs } from './json-text.mjs'
import { migrationBugs, migrations } from './migrations.mjs'
import { retryAfter, retryBugs } from './retry-after.mjs'
import { anyText, anyValue, changed } from './values.mjs'

const casesUrl = new URL('../../packages/kyc-core/schema/submission-cases.json', import.meta.url)
const { base } = JSON.parse(readFileSync(casesUrl, 'utf8'))
const now = new Date('2026-03-02T12:00:00Z')

const urlParts = [
  'https://',
  'http://',
  'HTTPS://',
  '//',
  '127.0.0.1',
  '0x7f.1',
  '[::1]',
  '[::ffff:7f00:1]',
  '2130706433',
  'partner.example',
  '@',
  ':443',
  ':22',
  ':65536',
  '/',
  '\\',
  '#',
  '?',
  '..',
  '%00',
  '\t',
  '\n',
  'ⓔⓧ',
  'xn--',
  '169.254.169.254',
]
const pieces = (random, some, most) => Array.from({ length: 1 + random.whole(most) }, () => random.pick(some)).join('')

/** Each takes any input and returns a sentence if it broke a promise, else null. */
export const targets = {
  jsonBody,
  documents,
  migrations,
  retryAfter,
  parseSubmission(random, marker, { parse = parseSubmission } = {}) {
    let input = random.chance(0.1) ? anyValue(random, marker) : structuredClone(base)
    for (let n = random.whole(4); n > 0; n -= 1) input = changed(random, input, marker)
    const result = parse(input, { now })
    if (result.ok) return null
    if (result.violations.length === 0) return 'a refusal names no violation'
    const isNamed = result.violations.every(
      ({ pointer, code, message }) => typeof pointer === 'string' && /^[A-Z_0-9]+$/.test(code) && message !== '',
    )
    if (!isNamed) return 'a violation lacks its pointer, code or message'
    return result.violations.some(({ message }) => message.includes(marker))
      ? 'a message repeats a submitted value'
      : null
  },
  checkEndpointUrl(random, marker, { check = checkEndpointUrl } = {}) {
    const text = random.chance(0.8) ? pieces(random, urlParts, 6) : anyText(random, marker)
    const result = check(text)
    if (!result.ok) return null
    const { protocol, username, password, hostname, hash } = new URL(result.url)
    if (protocol !== 'https:' || username !== '' || password !== '' || hash !== '')
      return `an unfit URL was accepted: ${JSON.stringify(text)}`
    const literal = hostname.replace(/^\[|\]$/g, '')
    const isLiteral = /^[\d.]+$/.test(literal) || literal.includes(':')
    return isLiteral && !isPublicAddress(literal) ? `a private address was accepted: ${JSON.stringify(text)}` : null
  },
  isPublicAddress(random, marker, { isPublic = isPublicAddress } = {}) {
    const v4 = () => Array.from({ length: 4 }, () => random.whole(256))
    const [a, b, c, d] = v4()
    const privateV4 = random.pick([
      [10, b, c, d],
      [127, b, c, d],
      [192, 168, c, d],
      [169, 254, c, d],
      [172, 16 + (b % 16), c, d],
      [0, b, c, d],
      [224 + (a % 32), b, c, d],
    ])
    const hex = privateV4.map((part) => part.toString(16).padStart(2, '0'))
    const mapped = `::ffff:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`
    const other = random.pick([
      `fe80::${hex.join('')}`.slice(0, 10),
      `fd${hex[1]}::1`,
      '::',
      '::1',
      `64:ff9b::${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`,
    ])
    const address = random.pick([privateV4.join('.'), mapped, other])
    return isPublic(address) ? `a private address counts as public: ${address}` : null
  },
  async verifyWebhook(random, marker, { verify = verifyWebhook } = {}) {
    const header = () => random.pick([anyText(random, marker), 'a'.repeat(64), 'A'.repeat(64), 'zz', '', undefined])
    const headers = { 'x-hmac-signature': header(), 'x-event-id': header(), [anyText(random, marker) || 'x']: header() }
    try {
      await verify({
        body: random.chance(0.5) ? anyText(random, marker) : (JSON.stringify(anyValue(random, marker)) ?? ''),
        headers,
        secrets: 'a secret',
      })
      return 'a webhook without a right signature was accepted'
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) return `verifyWebhook threw ${error?.name}`
      return error.message.includes(marker) ? 'an error repeats a submitted value' : null
    }
  },
}

/** How often each target has its turn: those with an input that costs milliseconds less often. */
export const turns = Object.entries({
  parseSubmission: 3,
  checkEndpointUrl: 3,
  isPublicAddress: 2,
  verifyWebhook: 2,
  jsonBody: 2,
  retryAfter: 2,
  documents: 1,
  migrations: 1,
}).flatMap(([name, times]) => Array.from({ length: times }, () => name))

/** Known bugs of the targets. */
export const bugs = {
  ...jsonBugs,
  ...documentBugs,
  ...migrationBugs,
  ...retryBugs,
  'accepts-loopback': [
    'checkEndpointUrl',
    {
      check: (text) =>
        text.includes('127.0.0.1') && URL.canParse(text) && text.startsWith('https://')
          ? { ok: true, url: text }
          : { ok: false },
    },
  ],
  'mapped-is-public': ['isPublicAddress', { isPublic: (address) => address.startsWith('::ffff:') }],
  'throws-on-surrogates': [
    'parseSubmission',
    {
      parse: (input, options) => {
        encodeURIComponent(
          JSON.stringify(Object.values(input ?? {}).filter((value) => typeof value === 'string')).replaceAll(
            '\\ud',
            '\ud800',
          ),
        )
        return parseSubmission(input, options)
      },
    },
  ],
  'echoes-a-value': [
    'parseSubmission',
    {
      parse: (input, options) => {
        const result = parseSubmission(input, options)
        return result.ok
          ? result
          : {
              ...result,
              violations: result.violations.map((one) => ({ ...one, message: JSON.stringify(input) ?? one.message })),
            }
      },
    },
  ],
  'empty-signature-is-right': [
    'verifyWebhook',
    { verify: async (given) => (given.headers['x-hmac-signature'] === '' ? {} : verifyWebhook(given)) },
  ],
}
