import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDeliveryWorker, prepareEvent } from '../../src/delivery/index.js'
import type { AppGrant } from '../../src/internal/index.js'
import { createHttpsSender } from '../../src/https/index.js'
import { signWebhook } from '../../src/signature/sign-webhook.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import { createTestAuthority } from '../https/local/certificates.js'

const appId = '11111111-1111-4111-8111-111111111111'
const userId = '22222222-2222-4222-8222-222222222222'
const endpointId = '33333333-3333-4333-8333-333333333333'
const apiKey = 'fz_live_example'
const grant: AppGrant = {
  appId,
  userId,
  appName: 'Example Wallet',
  accountId: '44444444-4444-4444-8444-444444444444',
  externalReferenceId: 'customer-1042',
  scopes: ['MAKE_PAYOUT_SEND'],
}

interface Received {
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Buffer
}

let server: Server
let caPem: string
let url: string
let received: Received[] = []
let answers: number[] = []

beforeAll(async () => {
  const authority = await createTestAuthority()
  caPem = authority.caPem
  const { certPem, keyPem } = await authority.issue()
  server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(answers.shift() ?? 200).end('thanks')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}/hooks?x=1`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  received = []
  answers = []
})

async function deliver() {
  const store = createMemoryWebhookStore()
  const grants = { find: async () => [grant] }
  await store.registerEndpoint(
    { endpointId, appId, url, eventTypes: null, standardWebhooks: true, createdAt: new Date() },
    50,
  )
  let id = 0
  const prepared = await prepareEvent(
    { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } },
    {
      grants,
      endpoints: store,
      now: () => new Date(),
      newId: () => `55555555-5555-4555-8555-${String((id += 1)).padStart(12, '0')}`,
    },
  )
  const { deliveries } = await store.insertEvent(prepared)
  const deliveryId = deliveries[0]?.deliveryId ?? ''
  const worker = createDeliveryWorker({
    store,
    grants,
    signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: apiKey, version: 1 })) },
    send: createHttpsSender({ policy: { allowLoopback: { caPem } } }),
    now: () => new Date(),
    random: () => 0.5,
    options: { retry: { baseMs: 1 } },
    onResultWritten: ({ result }) => {
      if (result.next.state !== 'PENDING') finished()
    },
  })
  let finished = () => {}
  const done = new Promise<void>((resolve) => (finished = resolve))
  worker.start()
  await done
  await worker.stop()
  return { prepared, delivery: await store.findDelivery({ appId, deliveryId }) }
}

test('one event in, one signed webhook out over TLS', async () => {
  const { prepared, delivery } = await deliver()
  expect(delivery).toMatchObject({ state: 'DELIVERED', attemptsMade: 1 })
  expect(delivery?.attempts[0]).toMatchObject({ state: 'SUCCEEDED', report: { status: 200, keyVersion: 1 } })
  expect(Buffer.from(delivery?.attempts[0]?.report?.responseBody ?? []).toString()).toBe('thanks')
  expect(received).toHaveLength(1)
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received
  expect(Buffer.from(prepared.body).equals(body)).toBe(true)
  expect(JSON.parse(body.toString())).toEqual({
    eventType: 'WIDGET_DEPOSIT_COMPLETE',
    userId,
    accountId: grant.accountId,
    externalReferenceId: grant.externalReferenceId,
    appId,
    amount: 100.5,
  })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-event-id': prepared.deliveries[0]?.xEventId,
    'x-hmac-signature': await signWebhook(body, apiKey),
    'webhook-id': prepared.deliveries[0]?.xEventId,
    'accept-encoding': 'identity',
    connection: 'close',
  })
})

test('an endpoint that answers 500 twice is delivered to by the third attempt', async () => {
  answers = [500, 500]
  const { delivery } = await deliver()
  expect(delivery).toMatchObject({ state: 'DELIVERED', attemptsMade: 3 })
  expect(new Set(received.map(({ headers }) => headers['x-event-id'])).size).toBe(1)
})

test('an endpoint that always fails is given up after exactly five attempts', async () => {
  answers = [500, 301, 404, 503, 500, 200]
  const { delivery } = await deliver()
  expect(delivery).toMatchObject({ state: 'FAILED', attemptsMade: 5 })
  expect(received).toHaveLength(5)
})
