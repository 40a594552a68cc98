import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { isPublicAddress } from '../../src/https/address-policy.js'
import { checkEndpointUrl, isLoopbackEndpoint, type EndpointUrlRefusal } from '../../src/https/endpoint-url.js'

const label63 = 'a'.repeat(63)
const longestName = `${label63}.${label63}.${label63}.${'a'.repeat(61)}`

test('a misspelt name in a policy is refused, because it would switch a protection off', () => {
  const policy = { ownHost: ['partner.com'] } as never
  expect(() => checkEndpointUrl('https://partner.com', policy)).toThrow('The option policy.ownHost does not exist.')
})

test.each([
  ['allowLoopback', null],
  ['allowLoopback', false],
  ['allowLoopback', { capem: 'a certificate' }],
  ['allowPlainHttpLocalhost', 'false'],
  ['ownHosts', 'partner.com'],
  ['ownHosts', [1]],
  ['maxLength', Number.NaN],
  ['maxLength', 0],
  ['maxLength', '4000'],
])('a policy with the %s %j is refused, because it could switch a protection off', (name, value) => {
  const check = () => checkEndpointUrl('https://localhost:8443/', { [name]: value })
  expect(check).toThrow(new TypeError(`The option policy.${name} has a wrong value.`))
})

test.each([
  ['https://partner.com', 'https://partner.com/'],
  ['https://partner.com/', 'https://partner.com/'],
  ['https://partner.com/webhooks/kyc?tenant=1&x=%20', 'https://partner.com/webhooks/kyc?tenant=1&x=%20'],
  ['https://partner.com?x=1', 'https://partner.com/?x=1'],
  ['https://partner.com?', 'https://partner.com/'],
  ['https://partner.com/all?', 'https://partner.com/all'],
  ['https://partner.com/all??', 'https://partner.com/all??'],
  ['HTTPS://Partner.COM/Hooks', 'https://partner.com/Hooks'],
  ['https://partner.com./hooks', 'https://partner.com/hooks'],
  ['https://partner.com:443/hooks', 'https://partner.com/hooks'],
  ['https://partner.com:/hooks', 'https://partner.com/hooks'],
  ['https://partner.com:1024/', 'https://partner.com:1024/'],
  ['https://partner.com:8443/', 'https://partner.com:8443/'],
  ['https://partner.com:65535/', 'https://partner.com:65535/'],
  ['https://hooks.eu-1.partner.co.uk/a', 'https://hooks.eu-1.partner.co.uk/a'],
  ['https://1password.com/', 'https://1password.com/'],
  ['https://hooks_eu.partner.com/', 'https://hooks_eu.partner.com/'],
  ['https://123.partner.com/', 'https://123.partner.com/'],
  ['https://a--b.partner.com/', 'https://a--b.partner.com/'],
  [
    'https://abc123.execute-api.us-east-1.amazonaws.com/prod/hooks',
    'https://abc123.execute-api.us-east-1.amazonaws.com/prod/hooks',
  ],
  ['https://example.com/', 'https://example.com/'],
  // A name that resolves to a private address is found out when a connection is made.
  ['https://127.0.0.1.nip.io/', 'https://127.0.0.1.nip.io/'],
  ['https://bücher.de/', 'https://xn--bcher-kva.de/'],
  ['https://BÜCHER.de/', 'https://xn--bcher-kva.de/'],
  ['https://xn--bcher-kva.de/', 'https://xn--bcher-kva.de/'],
  ['https://пример.рф/', 'https://xn--e1afmkfd.xn--p1ai/'],
  ['https://日本語.jp/', 'https://xn--wgv71a119e.jp/'],
  ['https://한국.kr/', 'https://xn--3e0b707e.kr/'],
  [`https://${label63}.com/`, `https://${label63}.com/`],
  ['https://partner.com/a|b/"c"/%2e%2e/d', 'https://partner.com/a|b/d'],
  ['https://partner.com/x/../y', 'https://partner.com/y'],
  ["https://partner.com/it's", "https://partner.com/it's"],
  [`https://partner.com/${'a'.repeat(2_028)}`, `https://partner.com/${'a'.repeat(2_028)}`],
  [`https://${longestName}/`, `https://${longestName}/`],
  ['https://bücher.de:8443/', 'https://xn--bcher-kva.de:8443/'],
  ['https://bücher.de:/', 'https://xn--bcher-kva.de/'],
])('%s is fine', (url, normalised) => {
  const checked = checkEndpointUrl(url)
  expect(checked.ok).toBe(true)
  if (checked.ok && !url.includes('|')) expect(checked.url).toBe(normalised)
  // What is stored is accepted again, unchanged.
  if (checked.ok) expect(checkEndpointUrl(checked.url)).toEqual(checked)
})

const refused: readonly (readonly [EndpointUrlRefusal, readonly string[]])[] = [
  [
    'URL_NOT_HTTPS',
    [
      'http://partner.com/',
      'HTTP://partner.com/',
      'http:partner.com',
      'ftp://partner.com/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/plain,x',
      'ws://partner.com/',
      'wss://partner.com/',
      'gopher://partner.com/',
      'blob:https://partner.com/x',
      'view-source:https://partner.com/',
      'httpss://partner.com/',
      'localhost:8443/x',
    ],
  ],
  [
    'URL_INVALID',
    [
      '',
      ' ',
      '/',
      'partner.com',
      '//partner.com/',
      'https',
      'https:',
      'https:/',
      'https://',
      'https:///',
      'https:///partner.com/',
      'https:partner.com',
      'https:/partner.com',
      'https:partner.com/https://partner.com/',
      'https:\\\\partner.com\\',
      'https://partner.com\\@evil.com/',
      'https:\\/partner.com/',
      ' https://partner.com/',
      'https://partner.com/ ',
      '\thttps://partner.com/',
      'https://partner.com/\n',
      'https://part\tner.com/',
      'https://part\nner.com/',
      'https://partner.com/a\r\nHost: evil.com',
      'https://partner.com/\0',
      'https://partner.com/a b',
      'https://partner .com/',
      'https://partner.com/\u00a0',
      'https://partner.com/ü',
      'https://partner.com/?q=ü',
      'https://partner.com/\u202e',
      'https://par\u200btner.com/\u200b',
      'https://%6c%6f%63%61%6c%68%6f%73%74/',
      'https://partner%2ecom/',
      'https://[::1/',
      'https://[::1%25eth0]/',
      'https://[::g]/',
      'https://1.2.3.4.5/',
      'https://256.256.256.256/',
      'https://partner.com:65536/',
      'https://partner.com:-1/',
      'https://partner.com:4a/',
      'https://partner.com:443:443/',
      'https://xn--a/',
      'https://part<ner.com/',
      'https://part|ner.com/',
      'https://part^ner.com/',
      `https://partner.com/${'a'.repeat(2_029)}`,
    ],
  ],
  [
    'URL_HAS_CREDENTIALS',
    [
      'https://user@partner.com/',
      'https://user:password@partner.com/',
      'https://:password@partner.com/',
      'https://@partner.com/',
      'https://:@partner.com/',
      'https://partner.com@evil.com/',
      'https://user@@partner.com/',
    ],
  ],
  [
    'URL_HAS_FRAGMENT',
    ['https://partner.com/#x', 'https://partner.com/#', 'https://partner.com#', 'https://partner.com/?x#y?z'],
  ],
  [
    'URL_PORT_NOT_ALLOWED',
    [
      'https://partner.com:0/',
      'https://partner.com:1/',
      'https://partner.com:22/',
      'https://partner.com:25/',
      'https://partner.com:80/',
      'https://partner.com:080/',
      'https://partner.com:442/',
      'https://partner.com:444/',
      'https://partner.com:1023/',
      'https://partner.com:2049/',
      'https://partner.com:5060/',
      'https://partner.com:6000/',
      'https://partner.com:6667/',
      'https://partner.com:10080/',
    ],
  ],
  [
    'URL_HOST_NOT_ALLOWED',
    [
      // One address in many spellings.
      'https://127.0.0.1/',
      'https://127.0.0.1./',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://0177.0.0.01/',
      'https://127.1/',
      'https://127.0.1/',
      'https://0/',
      'https://0.0.0.0/',
      'https://192.168.257/',
      'https://１２７.０.０.１/',
      'https://127。0。0。1/',
      'https://①②⑦.0.0.1/',
      'https://[::1]/',
      'https://[::]/',
      'https://[0:0:0:0:0:0:0:1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:7f00:1]/',
      'https://[::7f00:1]/',
      'https://[64:ff9b::a9fe:a9fe]/',
      'https://[2002:7f00:1::]/',
      'https://[fd00:ec2::254]/',
      'https://[fe80::1]/',
      'https://169.254.169.254/latest/meta-data/',
      'https://100.100.100.200/',
      'https://168.63.129.16/',
      'https://192.0.0.192/',
      'https://10.0.0.1:8443/',
      // Public addresses are addresses all the same.
      'https://8.8.8.8/',
      'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
      // Names that are not public.
      'https://localhost/',
      'https://localhost./',
      'https://LOCALHOST/',
      'https://localhost:8443/',
      'https://foo.localhost/',
      'https://ｌocalhost/',
      'https://printer.local/',
      'https://x.internal/',
      'https://metadata.google.internal/',
      'https://router.home.arpa/',
      'https://1.0.0.127.in-addr.arpa/',
      'https://hidden.onion/',
      'https://a.test/',
      'https://a.invalid/',
      'https://a.example/',
      'https://a.corp/',
      'https://a.lan/',
      'https://partner/',
      'https://com/',
      // Names that are not well-formed.
      'https://a..com/',
      'https://.partner.com/',
      'https://partner.com../',
      'https://./',
      'https://-a.com/',
      'https://xn--zzzzzz-.com/',
      'https://a-.com/',
      'https://a_b.com/',
      'https://hooks.a_b.com/',
      'https://*.partner.com/',
      `https://${'a'.repeat(64)}.com/`,
      `https://${[label63, label63, label63, label63].join('.')}.com/`,
      `https://a${longestName}/`,
      // Names that are not what they seem.
      'https://pаrtner.com/',
      'https://xn--prtner-6nf.com/',
      'https://аррӏе.com/',
      'https://xn--80ak6aa92e.com/',
      'https://ｐartner.com/',
      'https://partner。com/',
      'https://ﬁnance.com/',
      'https://Ⓟartner.com/',
      'https://goog\u200dle.com/',
      'https://par\u00adtner.com/',
    ],
  ],
]

describe.each(refused)('%s', (code, urls) => {
  test.each(urls)('%j', (url) => {
    const checked = checkEndpointUrl(url)
    // Whether a spelling fails at the parser or at the name is of no consequence; that it is refused is.
    const either = ['URL_INVALID', 'URL_HOST_NOT_ALLOWED']
    if (either.includes(code) && /[^\x21-\x7e]|xn--/.test(url)) {
      expect(either.map((one) => ({ ok: false, code: one }))).toContainEqual(checked)
    } else expect(checked).toEqual({ ok: false, code })
  })
})

test('there are more than eighty refused spellings', () => {
  expect(refused.flatMap(([, urls]) => urls).length).toBeGreaterThan(80)
})

test('what is not a text is refused', () => {
  for (const value of [null, undefined, 1, {}, new URL('https://partner.com/')]) {
    expect(checkEndpointUrl(value as string)).toEqual({ ok: false, code: 'URL_INVALID' })
  }
})

test('our own names are refused, whatever the spelling', () => {
  const policy = { ownHosts: ['Secure.kyc-relay.com.', 'api.kyc-relay.com'] }
  for (const url of [
    'https://secure.kyc-relay.com/x',
    'https://SECURE.kyc-relay.com./x',
    'https://api.kyc-relay.com:8443/',
  ]) {
    expect(checkEndpointUrl(url, policy)).toEqual({ ok: false, code: 'URL_HOST_NOT_ALLOWED' })
  }
  expect(checkEndpointUrl('https://docs.kyc-relay.com/', policy).ok).toBe(true)
})

describe('the local-development option', () => {
  const policy = { allowLoopback: { caPem: 'a certificate' } }

  test.each([
    'https://localhost:8443/hooks',
    'https://localhost/',
    'https://LOCALHOST:9000/',
    'https://localhost.:9000/',
  ])('allows %s', (url) => {
    expect(checkEndpointUrl(url, policy).ok).toBe(true)
  })

  test.each([
    'http://localhost:8443/',
    'https://localhost:22/',
    'https://localhost:80/',
    'https://user@localhost:8443/',
    'https://127.0.0.1:8443/',
    'https://[::1]:8443/',
    'https://2130706433:8443/',
    'https://foo.localhost:8443/',
    'https://localhost.localdomain:8443/',
    'https://x.internal/',
    'https://10.0.0.1/',
  ])('still refuses %s', (url) => {
    expect(checkEndpointUrl(url, policy).ok).toBe(false)
  })
})

describe('the option for plain HTTP in development', () => {
  const policy = { allowPlainHttpLocalhost: true }

  test.each([
    ['http://localhost:3000/hooks?x=1', 'http://localhost:3000/hooks?x=1'],
    ['HTTP://LocalHost:1024', 'http://localhost:1024/'],
  ])('allows %s', (url, normalised) => {
    expect(checkEndpointUrl(url, policy)).toEqual({ ok: true, url: normalised })
    expect(checkEndpointUrl(normalised, policy)).toEqual({ ok: true, url: normalised })
    expect(checkEndpointUrl(url)).toEqual({ ok: false, code: 'URL_NOT_HTTPS' })
    expect(checkEndpointUrl(url, { allowPlainHttpLocalhost: false })).toMatchObject({ code: 'URL_NOT_HTTPS' })
    expect(checkEndpointUrl(new URL(url) as never, policy)).toEqual({ ok: false, code: 'URL_INVALID' })
  })

  test.each([
    ['http://localhost/', 'URL_NOT_HTTPS'],
    ['http://localhost:/', 'URL_PORT_NOT_ALLOWED'],
    ['http://localhost:80/', 'URL_PORT_NOT_ALLOWED'],
    ['http://localhost:443/', 'URL_PORT_NOT_ALLOWED'],
    ['http://localhost:0443/', 'URL_PORT_NOT_ALLOWED'],
    ['http://localhost:1023/', 'URL_PORT_NOT_ALLOWED'],
    ['http://localhost:6000/', 'URL_PORT_NOT_ALLOWED'],
    ['http://localhost:3000@partner.com/', 'URL_HAS_CREDENTIALS'],
    ['http://localhost:3000#a', 'URL_HAS_FRAGMENT'],
    ['http://localhost:3000\\@partner.com/', 'URL_INVALID'],
    ['http://localhost:99999/', 'URL_INVALID'],
    ['http://localhost.:3000/', 'URL_NOT_HTTPS'],
    ['http://127.0.0.1:3000/', 'URL_NOT_HTTPS'],
    ['http://[::1]:3000/', 'URL_NOT_HTTPS'],
    ['http://partner.com:3000/', 'URL_NOT_HTTPS'],
    ['http://localhost.partner.com:3000/', 'URL_NOT_HTTPS'],
    ['https://localhost:3000/', 'URL_HOST_NOT_ALLOWED'],
  ])('still refuses %s: %s', (url, code) => {
    expect(checkEndpointUrl(url, policy)).toEqual({ ok: false, code })
  })

  test('leaves a name of this service refused', () => {
    expect(checkEndpointUrl('http://localhost:3000/', { ...policy, ownHosts: ['localhost'] }).ok).toBe(false)
  })
})

test.each([
  ['https://localhost:8443/', { allowLoopback: { caPem: 'a certificate' } }, true],
  ['https://localhost:8443/', { allowPlainHttpLocalhost: true }, false],
  ['https://localhost:8443/', {}, false],
  ['https://partner.com/', { allowLoopback: { caPem: 'a certificate' } }, false],
  ['http://localhost:3000/', { allowPlainHttpLocalhost: true }, true],
  ['http://localhost:3000/', { allowPlainHttpLocalhost: false }, false],
  ['http://localhost:3000/', { allowLoopback: { caPem: 'a certificate' } }, false],
  ['http://partner.com:3000/', { allowPlainHttpLocalhost: true }, false],
])('%s with the options %j is an endpoint of local development: %s', (url, policy, expected) => {
  expect(isLoopbackEndpoint(new URL(url), policy)).toBe(expected)
})

test('no text makes it throw, and what passes is a plain public HTTPS URL', () => {
  const host = fc.stringMatching(/^[a-zA-Z0-9.:[\]@%_-]{1,20}$/)
  const url = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.webUrl().map((text) => text.replace('http:', 'https:')),
    fc.tuple(host, fc.string()).map(([name, rest]) => `https://${name}/${rest}`),
    fc
      .tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('.com', '', '.local'))
      .map((parts) => `https://${parts.join('')}/`),
  )
  fc.assert(
    fc.property(url, (text) => {
      const checked = checkEndpointUrl(text)
      if (!checked.ok) return
      const parsed = new URL(checked.url)
      expect(parsed.protocol).toBe('https:')
      expect(parsed.username + parsed.password + parsed.hash).toBe('')
      expect(parsed.hostname).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)
      expect(isPublicAddress(parsed.hostname)).toBe(false)
      expect(parsed.port === '' || Number(parsed.port) > 1_023).toBe(true)
    }),
    propertyRuns(11, 2_000),
  )
})
