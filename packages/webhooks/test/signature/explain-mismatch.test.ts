import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { explainMismatch, verifyWebhook, type Diagnosis } from '@kyc-relay/webhooks'
import type { ExplainableRequest } from '../../src/signature/explain-mismatch.js'

const secret = 'kyc_live_Zm9vYmFyYmF6cXV4Zm9vYmFy'
const event = {
  eventType: 'WIDGET_DEPOSIT_COMPLETE',
  externalReferenceId: 'Zoë & 李/1',
  amount: 100.5,
  tags: [],
  nested: { a: [1, {}] },
}
const signed = JSON.stringify(event)

function hmac(body: string | Uint8Array, key: string | Uint8Array = secret): string {
  return createHmac('sha256', key).update(body).digest('hex')
}

function headersFor(signature: string, more: Record<string, string> = {}): Record<string, string> {
  return { 'X-HMAC-Signature': signature, 'X-Event-ID': '0198c0de-0000-7000-8000-000000000001', ...more }
}

const good = headersFor(hmac(signed))
const python = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
    .replaceAll('[1,{', '[1, {')
    .replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const proved: readonly (readonly [name: string, cause: Diagnosis['cause'], request: Partial<ExplainableRequest>])[] = [
  // the body was changed on its way here
  ['a trailing newline', 'BODY_NEWLINE_ADDED', { body: `${signed}\n` }],
  ['a trailing CRLF', 'BODY_NEWLINE_ADDED', { body: `${signed}\r\n` }],
  ['several newlines', 'BODY_NEWLINE_ADDED', { body: `${signed}\n\n` }],
  ['a newline lost', 'BODY_NEWLINE_REMOVED', { body: signed, headers: headersFor(hmac(`${signed}\n`)) }],
  ['a CRLF lost', 'BODY_NEWLINE_REMOVED', { body: signed, headers: headersFor(hmac(`${signed}\r\n`)) }],
  ['spaces around', 'BODY_WHITE_SPACE_ADDED', { body: `  ${signed} ` }],
  ['LF made CRLF', 'BODY_LINE_ENDINGS_CHANGED', { body: '{\r\n"a":1\r\n}', headers: headersFor(hmac('{\n"a":1\n}')) }],
  ['CRLF made LF', 'BODY_LINE_ENDINGS_CHANGED', { body: '{\n"a":1\n}', headers: headersFor(hmac('{\r\n"a":1\r\n}')) }],
  ['a BOM', 'BODY_BOM_ADDED', { body: Buffer.from(`\uFEFF${signed}`) }],
  ['a BOM in text', 'BODY_BOM_ADDED', { body: `\uFEFF${signed}` }],
  ['a BOM lost', 'BODY_BOM_REMOVED', { body: signed, headers: headersFor(hmac(`\uFEFF${signed}`)) }],
  ['pretty-printed by 2', 'BODY_RESERIALISED', { body: JSON.stringify(event, null, 2) }],
  ['pretty-printed by 4', 'BODY_RESERIALISED', { body: JSON.stringify(event, null, 4) }],
  ['pretty-printed by tabs', 'BODY_RESERIALISED', { body: JSON.stringify(event, null, '\t') }],
  ["Python's separators", 'BODY_RESERIALISED', { body: python(event) }],
  ['\\/ escapes', 'BODY_RESERIALISED', { body: signed.replaceAll('/', '\\/') }],
  ['\\u escapes', 'BODY_RESERIALISED', { body: signed.replace('ë', '\\u00eb').replace('李', '\\u674E') }],
  ["Go's escapes", 'BODY_RESERIALISED', { body: signed.replace('&', '\\u0026') }],
  ['compacted, signed by Python', 'BODY_RESERIALISED', { body: signed, headers: headersFor(hmac(python(event))) }],
  [
    'compacted, signed by PHP',
    'BODY_RESERIALISED',
    { body: '{"a":"é/"}', headers: headersFor(hmac('{"a":"\\u00e9\\/"}')) },
  ],
  [
    'compacted, signed indented',
    'BODY_RESERIALISED',
    { body: signed, headers: headersFor(hmac(JSON.stringify(event, null, 2))) },
  ],
  [
    'compacted, signed by Go',
    'BODY_RESERIALISED',
    { body: '{"a":"<b>"}', headers: headersFor(hmac('{"a":"\\u003cb\\u003e"}')) },
  ],
  [
    'numbers written otherwise',
    'BODY_RESERIALISED',
    { body: '{"a":100.50}', headers: headersFor(hmac('{"a":100.5}')) },
  ],
  ['base64', 'BODY_BASE64', { body: Buffer.from(signed).toString('base64') }],
  ['base64url', 'BODY_BASE64', { body: Buffer.from(signed).toString('base64url') }],
  ['base64 in lines', 'BODY_BASE64', { body: Buffer.from(signed).toString('base64').replace(/.{76}/g, '$&\n') }],
  ['encoded twice', 'BODY_ENCODED_TWICE', { body: JSON.stringify(signed) }],
  ['form-encoded', 'BODY_FORM_ENCODED', { body: new URLSearchParams({ payload: signed }).toString() }],
  ['form-encoded as a key', 'BODY_FORM_ENCODED', { body: `${encodeURIComponent(signed)}=` }],
  ['URL-encoded', 'BODY_URL_ENCODED', { body: encodeURIComponent('[1]'), headers: headersFor(hmac('[1]')) }],
  ['UTF-8 read as latin1', 'BODY_WRONG_CHARSET', { body: Buffer.from(signed).toString('latin1') }],
  [
    'written as latin1',
    'BODY_WRONG_CHARSET',
    { body: Buffer.from('{"a":"é"}', 'latin1'), headers: headersFor(hmac('{"a":"é"}')) },
  ],
  ['the whole Lambda event', 'BODY_INSIDE_EVENT', { body: JSON.stringify({ body: signed, isBase64Encoded: false }) }],
  [
    'the whole Lambda event, base64',
    'BODY_INSIDE_EVENT',
    { body: JSON.stringify({ body: Buffer.from(signed).toString('base64'), isBase64Encoded: true }) },
  ],
  ['a Buffer as JSON', 'BODY_BUFFER_AS_JSON', { body: JSON.stringify(Buffer.from(signed)) }],
  ['[object Object]', 'BODY_OBJECT_AS_TEXT', { body: '[object Object]' }],
  // the secret
  ['secret with a newline', 'SECRET_WHITE_SPACE', { secrets: `${secret}\n` }],
  ['secret with spaces', 'SECRET_WHITE_SPACE', { secrets: ` ${secret}` }],
  ['secret with a literal \\n', 'SECRET_WHITE_SPACE', { secrets: `${secret}\\n` }],
  ['secret in double quotes', 'SECRET_QUOTED', { secrets: `"${secret}"` }],
  ['secret in single quotes', 'SECRET_QUOTED', { secrets: `'${secret}'\n` }],
  ['a whole .env line', 'SECRET_PREFIXED', { secrets: `KYC_RELAY_API_KEY=${secret}` }],
  ['a whole quoted .env line', 'SECRET_PREFIXED', { secrets: `KYC_RELAY_API_KEY="${secret}"` }],
  ['secret with Bearer', 'SECRET_PREFIXED', { secrets: `Bearer ${secret}` }],
  ['secret with whsec_', 'SECRET_PREFIXED', { secrets: `whsec_${secret}` }],
  ['two secrets in one string', 'SECRET_LIST_IN_ONE_STRING', { secrets: `old-key,${secret}` }],
  ['hexadecimal secret', 'SECRET_HEX_ENCODED', { secrets: Buffer.from(secret).toString('hex') }],
  ['base64 secret', 'SECRET_BASE64_ENCODED', { secrets: Buffer.from(secret).toString('base64') }],
  [
    'signed with the hexadecimal form',
    'SECRET_DECODED_BY_SENDER',
    { headers: headersFor(hmac(signed, Buffer.from(secret).toString('hex'))) },
  ],
  [
    'signed with the base64 form',
    'SECRET_DECODED_BY_SENDER',
    { headers: headersFor(hmac(signed, Buffer.from(secret).toString('base64'))) },
  ],
  ['another secret', 'SECRET_OTHER', { secrets: 'wrong', otherSecrets: [undefined, 'staging', secret] }],
  ['the second of the given secrets has quotes', 'SECRET_QUOTED', { secrets: ['wrong', `"${secret}"`] }],
  // the header
  ['upper case', 'SIGNATURE_UPPER_CASE', { headers: headersFor(hmac(signed).toUpperCase()) }],
  ['sha256= in front', 'SIGNATURE_PREFIXED', { headers: headersFor(`sha256=${hmac(signed)}`) }],
  ['a time and v1= in front', 'SIGNATURE_PREFIXED', { headers: headersFor(`t=1767268800,v1=${hmac(signed)}`) }],
  ['v1= in front', 'SIGNATURE_PREFIXED', { headers: headersFor(`v1=${hmac(signed)}`) }],
  [
    'base64 signature',
    'SIGNATURE_BASE64',
    { headers: headersFor(Buffer.from(hmac(signed), 'hex').toString('base64')) },
  ],
  [
    'base64url signature',
    'SIGNATURE_BASE64',
    { headers: headersFor(Buffer.from(hmac(signed), 'hex').toString('base64url')) },
  ],
  [
    'v1,base64 signature',
    'SIGNATURE_BASE64',
    { headers: headersFor(`v1,${Buffer.from(hmac(signed), 'hex').toString('base64')}`) },
  ],
  ['sent twice', 'SIGNATURE_DUPLICATED', { headers: headersFor(`${hmac(signed)}, ${hmac(signed)}`) }],
  ['white space', 'SIGNATURE_WRAPPED', { headers: headersFor(` ${hmac(signed)}\n`) }],
  ['quotes', 'SIGNATURE_WRAPPED', { headers: headersFor(`"${hmac(signed)}"`) }],
  // what verifyWebhook says already
  ['no signature', 'SIGNATURE_MISSING', { headers: {} }],
  ['no secret', 'SECRET_MISSING', { secrets: '' }],
  ['no body', 'BODY_EMPTY', { body: '' }],
  ['body undefined', 'BODY_EMPTY', { body: undefined }],
  ['a parsed object', 'BODY_ALREADY_PARSED', { body: event }],
  ['a promise', 'BODY_ALREADY_PARSED', { body: Promise.resolve(signed) }],
  ['no event id', 'EVENT_ID_MISSING', { headers: { 'X-HMAC-Signature': hmac(signed) } }],
  ['signed, but no event', 'PAYLOAD_INVALID', { body: '[]', headers: headersFor(hmac('[]')) }],
]

const probable: typeof proved = [
  ['cut off', 'BODY_TRUNCATED', { body: signed.slice(0, -5) }],
  [
    'shorter than announced',
    'BODY_LENGTH_CHANGED',
    { headers: headersFor('0'.repeat(64), { 'content-length': '999' }) },
  ],
  ['bytes replaced', 'BODY_WRONG_CHARSET', { body: signed.replace('ë', '\uFFFD') }],
  ['serialised again with another order', 'BODY_RESERIALISED', { body: '{\n "b": 1,\n "a": 2\n}' }],
  ['SHA-1', 'SIGNATURE_WRONG_LENGTH', { headers: headersFor('a'.repeat(40)) }],
  ['not hexadecimal', 'SIGNATURE_NOT_HEXADECIMAL', { headers: headersFor('z'.repeat(64)) }],
]

function explain(request: Partial<ExplainableRequest>): Promise<Diagnosis | null> {
  return explainMismatch({ body: signed, headers: good, secrets: secret, ...request })
}

describe('explainMismatch proves', () => {
  test.each(proved)('%s: %s', async (_name, cause, request) => {
    expect(await explain(request)).toMatchObject({ cause, confidence: 'proved' })
  })
})

describe('explainMismatch finds probable', () => {
  test.each(probable)('%s: %s', async (_name, cause, request) => {
    expect(await explain(request)).toMatchObject({ cause, confidence: 'probable' })
  })
})

describe('explainMismatch', () => {
  test('has nothing to say about a webhook that verifies', async () => {
    expect(await explain({})).toBeNull()
    expect(await explain({ secrets: ['wrong', secret] })).toBeNull()
  })

  test('says so when it finds nothing', async () => {
    expect(await explain({ secrets: 'the key of another application' })).toMatchObject({
      cause: 'UNEXPLAINED',
      confidence: 'none',
    })
  })

  test.each([...proved, ...probable])(
    'never accepts what it explains, and gives away nothing: %s',
    async (_name, _cause, request) => {
      const whole = { body: signed, headers: good, secrets: secret, ...request }
      const diagnosis = JSON.stringify(await explainMismatch(whole))
      await expect(verifyWebhook({ ...whole, body: whole.body as string })).rejects.toThrow()
      const bare = signed.slice(2, 40)
      for (const hidden of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64'),
        hmac(signed),
        bare,
      ]) {
        expect(diagnosis).not.toContain(hidden)
      }
      expect(diagnosis).not.toMatch(/[0-9a-f]{40}|Zoë|kyc_live/i)
    },
  )

  test('tries a bounded number of variants, and none of a body above 64 KiB', async () => {
    // As much of everything at once as one request can have: without the bound it would be more.
    const hard = { ...event, body: 'x', n: 1, text: 'é/<>&"\\ +%41 \r\n'.repeat(100) }
    const worst = `${JSON.stringify(hard, null, 3).replace('"n": 1', '"n": 1.0').replaceAll('\n', '\r\n')}  \r\n`
    const wrong = headersFor('0'.repeat(64))
    const one = await explain({ body: worst, headers: wrong, secrets: ' "API_KEY=61,62;63|64" ' })
    expect(one).toMatchObject({ confidence: 'probable', probes: 24 })
    const many = Array.from({ length: 50 }, (_, index) => ` "API_KEY=${index}1,${index}2;${index}3|${index}4" `)
    expect((await explain({ body: worst, headers: wrong, secrets: many }))?.probes).toBe(72)
    const large = JSON.stringify({ a: 'x'.repeat(65_536) })
    expect(await explain({ body: `${large}\n`, headers: headersFor(hmac(large)) })).toMatchObject({
      cause: 'BODY_TOO_LARGE_TO_PROBE',
      probes: 0,
    })
  })

  test.each([
    ['lists', `${'['.repeat(32_500)}${']'.repeat(32_500)}`],
    ['objects', `${'{"a":'.repeat(10_800)}1${'}'.repeat(10_800)}`],
    ['a Buffer as JSON', `{"type":"Buffer","data":[${'['.repeat(32_000)}${']'.repeat(32_000)}]}`],
  ])('has an answer for deeply nested %s', async (_name, body) => {
    expect(await explain({ body })).toMatchObject({ cause: 'UNEXPLAINED', probes: expect.any(Number) })
  })

  test('reads nesting outside of texts only', async () => {
    const value = { list: ['[['.repeat(40)] }
    expect(
      await explain({ body: JSON.stringify(value, null, 2), headers: headersFor(hmac(JSON.stringify(value))) }),
    ).toMatchObject({ cause: 'BODY_RESERIALISED', confidence: 'proved' })
  })

  test.each([
    ['express', 'express.raw('],
    ['fastify', 'addContentTypeParser'],
    ['koa', 'ctx.req'],
    ['hono', 'c.req.raw'],
    ['next', 'route.ts'],
    ['aws-lambda', 'isBase64Encoded'],
    ['cloudflare-workers', 'arrayBuffer()'],
  ] as const)('names the line to change in %s', async (framework, line) => {
    expect((await explain({ body: JSON.stringify(event, null, 2), framework }))?.fix).toContain(line)
  })

  test('is not confused by hostile bodies', async () => {
    const hostile = [
      '"'.repeat(60_000),
      '['.repeat(60_000),
      '\\'.repeat(60_000),
      `{"a":"${'\\'.repeat(59_000)}"}`,
      '%'.repeat(60_000),
      '=&'.repeat(30_000),
    ]
    for (const body of hostile) expect(await explain({ body })).not.toBeNull()
  })
})
