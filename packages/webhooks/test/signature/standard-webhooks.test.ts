import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signStandardWebhook, signWebhook, verifyStandardWebhook } from '@kyc-relay/webhooks'

const secret = 'the API key'
const id = '0198c0de-0000-7000-8000-000000000001'
const body = '{"eventType":"WIDGET_KYC_INITIATION","note":"é"}'
const signedAt = new Date('2026-03-02T15:04:05.678Z')
const sign = (more: Partial<Parameters<typeof signStandardWebhook>[0]> = {}) =>
  signStandardWebhook({ id, signedAt, body, secret, ...more })
const verify = (more: Partial<Parameters<typeof verifyStandardWebhook>[0]>) =>
  verifyStandardWebhook({ body, headers: {}, secrets: secret, now: signedAt, ...more })

test('signs id, whole seconds and body, as Standard Webhooks 1.0 has it', async () => {
  const expected = createHmac('sha256', secret).update(`${id}.1772463845.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': '1772463845', 'webhook-signature': `v1,${expected}` }
  expect(await sign()).toEqual(headers)
  expect(await sign({ body: Buffer.from(body) })).toEqual(headers)
})

test.each([new Date(Number.NaN), new Date(-1)])('signs no time that every receiver refuses: %s', async (at) => {
  await expect(sign({ signedAt: at })).rejects.toMatchObject({ code: 'TIMESTAMP_INVALID' })
})

test('gives the event, the signed id and the time', async () => {
  const webhook = await verify({ headers: { ...(await sign()) } })
  expect(webhook).toMatchObject({ eventId: id, type: 'WIDGET_KYC_INITIATION', test: false })
  expect(webhook.signedAt).toEqual(new Date('2026-03-02T15:04:05.000Z'))
})

describe('refuses', () => {
  const cases: readonly (readonly [
    string,
    string,
    (headers: Record<string, string>) => Partial<Parameters<typeof verify>[0]>,
  ])[] = [
    ['no headers', 'SIGNATURE_MISSING', () => ({ headers: {} })],
    [
      'only our own headers',
      'SIGNATURE_MISSING',
      () => ({ headers: { 'x-hmac-signature': 'a'.repeat(64), 'x-event-id': id } }),
    ],
    [
      'no scheme',
      'SIGNATURE_MALFORMED',
      (h) => ({ headers: { ...h, 'webhook-signature': (h['webhook-signature'] ?? '').slice(3) } }),
    ],
    [
      'an unknown scheme',
      'SIGNATURE_MALFORMED',
      (h) => ({ headers: { ...h, 'webhook-signature': (h['webhook-signature'] ?? '').replace('v1', 'v2') } }),
    ],
    ['no id', 'EVENT_ID_MISSING', ({ 'webhook-id': _, ...rest }) => ({ headers: rest })],
    ['no time', 'TIMESTAMP_INVALID', ({ 'webhook-timestamp': _, ...rest }) => ({ headers: rest })],
    ...['', 'now', '-1', '1e9', '1772463845.5', ' 1772463845', '9'.repeat(13)].map(
      (time) =>
        [
          `the time ${JSON.stringify(time)}`,
          'TIMESTAMP_INVALID',
          (h: Record<string, string>) => ({ headers: { ...h, 'webhook-timestamp': time } }),
        ] as const,
    ),
    ['another id', 'SIGNATURE_MISMATCH', (h) => ({ headers: { ...h, 'webhook-id': 'another' } })],
    ['another time', 'SIGNATURE_MISMATCH', (h) => ({ headers: { ...h, 'webhook-timestamp': '1772463846' } })],
    ['another body', 'SIGNATURE_MISMATCH', (h) => ({ headers: h, body: `${body} ` })],
    ['another secret', 'SIGNATURE_MISMATCH', (h) => ({ headers: h, secrets: 'x' })],
    [
      'five minutes and a second late',
      'TIMESTAMP_OUTSIDE_TOLERANCE',
      (h) => ({ headers: h, now: new Date('2026-03-02T15:09:06Z') }),
    ],
    [
      'five minutes and a second early',
      'TIMESTAMP_OUTSIDE_TOLERANCE',
      (h) => ({ headers: h, now: new Date('2026-03-02T14:59:04Z') }),
    ],
    [
      'a narrower tolerance',
      'TIMESTAMP_OUTSIDE_TOLERANCE',
      (h) => ({ headers: h, now: new Date('2026-03-02T15:04:06Z'), toleranceMs: 999 }),
    ],
    ['a clock that is no date', 'TIMESTAMP_OUTSIDE_TOLERANCE', (h) => ({ headers: h, now: new Date(Number.NaN) })],
    ['no clock', 'TIMESTAMP_OUTSIDE_TOLERANCE', (h) => ({ headers: h, now: null as never })],
    ['no secret', 'SECRET_MISSING', (h) => ({ headers: h, secrets: '' })],
    ['a parsed body', 'BODY_ALREADY_PARSED', (h) => ({ headers: h, body: JSON.parse(body) as string })],
    ['no body', 'BODY_EMPTY', (h) => ({ headers: h, body: '' })],
  ]
  test.each(cases)('%s: %s', async (_name, code, change) => {
    await expect(verify(change({ ...(await sign()) }))).rejects.toMatchObject({ code })
  })
})

test.each(['2026-03-02T15:09:05Z', '2026-03-02T14:59:05Z'])('takes the edge of the tolerance: %s', async (now) => {
  expect(await verify({ headers: { ...(await sign()) }, now: new Date(now) })).toMatchObject({ eventId: id })
})

test('takes any of several signatures and several secrets, and ignores schemes it does not know', async () => {
  const { 'webhook-signature': good, ...rest } = await sign()
  const { 'webhook-signature': old } = await sign({ secret: 'old' })
  const headers = { ...rest, 'webhook-signature': `v1a,AAAA ${old} ${good}` }
  expect(await verify({ headers, secrets: ['x', secret] })).toMatchObject({ eventId: id })
})

test('compares the first 16 signatures, however many there are', async () => {
  const { 'webhook-signature': good, ...rest } = await sign()
  const { 'webhook-signature': old } = await sign({ secret: 'old' })
  const after = (count: number) => ({
    ...rest,
    'webhook-signature': [...Array<string>(count).fill(old), good].join(' '),
  })
  expect(await verify({ headers: after(15) })).toMatchObject({ eventId: id })
  await expect(verify({ headers: after(16) })).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' })
})

test('the two schemes do not stand in for each other', async () => {
  const hex = await signWebhook(body, secret)
  const base64 = Buffer.from(hex, 'hex').toString('base64')
  const headers = { ...(await sign()), 'webhook-signature': `v1,${base64}` }
  await expect(verify({ headers })).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' })
})

test('the unknown option toleranceSeconds is refused', async () => {
  const wrong = { headers: { ...(await sign()) }, toleranceSeconds: 60 }
  await expect(verify(wrong)).rejects.toThrow('The option toleranceSeconds does not exist.')
})
