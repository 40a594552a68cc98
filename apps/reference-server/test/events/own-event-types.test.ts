import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@kyc-relay/webhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseOwnEventTypes } from '../../src/events/own-event-types.js'
import { loadEventTypes } from '../../src/start/load-event-types.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { createPortalClient, type PortalClient } from '../portal/portal-client.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

const shipped = {
  name: 'ORDER_SHIPPED',
  description: 'An order of the user left the warehouse.',
  scopes: ['LIST_PURCHASES'],
  schema: {
    type: 'object',
    properties: {
      orderId: { type: 'string', pattern: '^order-' },
      parcels: { type: 'integer', minimum: 1 },
      createdAt: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d$' },
    },
    required: ['orderId'],
    additionalProperties: false,
  },
  example: { orderId: 'order-1042', parcels: 2 },
}
const fileOf = (...eventTypes: readonly unknown[]) => JSON.stringify({ eventTypes })

const folder = mkdtempSync(join(tmpdir(), 'event-types-'))
const path = join(folder, 'event-types.json')
let server: RunningTestServer
let receiver: LocalReceiver
let browser: PortalClient
beforeAll(async () => {
  writeFileSync(path, fileOf(shipped))
  server = await startTestServer({ EVENT_TYPES_FILE: path })
  receiver = await startReceiver(server.demo)
  browser = createPortalClient(server)
  await browser.signIn()
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const app = () => server.demo.apps[0]!
const user = () => server.demo.users[0]!
const api = (path: string, body?: unknown) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: app().apiKey, body })
const publish = (eventType: string, data: unknown) =>
  server.call(`${server.demo.internalUrl}/internal/v1/events`, {
    token: server.demo.internalToken,
    body: { appId: app().appId, userId: user().userId, eventType, data },
  })

describe('an event type of the operator', () => {
  it('goes from the portal over publishing to a receiver that verifies it', async () => {
    const form = await browser.get('/portal/webhooks/new')
    expect(form.text).toContain('An order of the user left the warehouse. Needs the scope LIST_PURCHASES.')
    expect(form.text).toContain('Select none to get all but ORDER_SHIPPED')
    const added = await browser.submit(form, '/portal/webhooks/new', {
      url: receiver.url('/hooks'),
      eventTypes: 'ORDER_SHIPPED',
    })
    expect(added.headers.location).toBe('/portal/webhooks')

    // A time without seconds and offset reaches the receiver as its own schema wants it.
    const data = { orderId: 'order-1', parcels: 3, createdAt: '2026-01-05T10:00' }
    const published = await publish('ORDER_SHIPPED', data)
    expect([published.status, published.json.deliveries.length]).toEqual([202, 1])
    const [request] = await receiver.arrived('/hooks', 1)
    const { body, headers } = request!
    const verified = await verifyWebhook({
      body,
      headers,
      secrets: app().apiKey,
      eventTypes: [{ name: 'ORDER_SHIPPED' }],
    })
    expect([verified.type, verified.event]).toEqual([
      'ORDER_SHIPPED',
      expect.objectContaining({ eventType: 'ORDER_SHIPPED', userId: user().userId, ...data }),
    ])

    const log = await browser.get('/portal/deliveries?eventType=ORDER_SHIPPED')
    expect(log.text).toMatch(/<option value="ORDER_SHIPPED" selected/)
    expect(log.text).toContain('<code>ORDER_SHIPPED</code>')
    expect((await api('/deliveries?eventType=ORDER_SHIPPED')).json.items).toHaveLength(1)
    expect((await api('/events?types=ORDER_SHIPPED')).json.items).toMatchObject([{ eventType: 'ORDER_SHIPPED', body }])
  })

  it('is sent as a test event, with its example', async () => {
    const [endpoint] = (await api('')).json.items
    const preview = await api(`/${endpoint.id}/test`, { eventType: 'ORDER_SHIPPED', dryRun: true })
    expect(JSON.parse(preview.json.request.body)).toMatchObject({ eventType: 'ORDER_SHIPPED', ...shipped.example })
  })

  it('is in the catalogue of the portal, with scopes, fields, example and schema', async () => {
    const list = await browser.get('/portal/events')
    expect(list.text).toContain('href="/portal/events/ORDER_SHIPPED"')
    const page = await browser.get('/portal/events/ORDER_SHIPPED')
    expect(page.status).toBe(200)
    for (const text of ['LIST_PURCHASES', '<code>parcels</code>', '<code>accountId</code>', 'order-1042']) {
      expect(page.text).toContain(text)
    }
  })

  it('is in both OpenAPI documents', async () => {
    const document = (await server.call(`${server.demo.apiUrl}/api/v1/openapi.json`)).json
    expect(document.components.schemas.EventType.enum).toContain('ORDER_SHIPPED')
    const { description, requestBody } = document.webhooks.ORDER_SHIPPED.post
    expect(description).toBe(
      'An order of the user left the warehouse. Sent only for users who granted `LIST_PURCHASES`.',
    )
    const { schema, example } = requestBody.content['application/json']
    expect(schema.properties).toMatchObject({ eventType: { const: 'ORDER_SHIPPED' }, parcels: { minimum: 1 } })
    expect([...schema.required].sort()).toEqual(
      ['accountId', 'appId', 'eventType', 'externalReferenceId', 'orderId', 'userId'].sort(),
    )
    expect(example).toMatchObject({ eventType: 'ORDER_SHIPPED', orderId: 'order-1042' })
    const internal = (await server.call(`${server.demo.internalUrl}/internal/v1/openapi.json`)).json
    expect(internal.components.schemas.EventType.enum).toContain('ORDER_SHIPPED')
  })

  it('is refused with other fields than its schema has', async () => {
    for (const data of [{ orderId: 'x' }, { orderId: 'order-1', more: 1 }, {}]) {
      const answer = await publish('ORDER_SHIPPED', data)
      expect([answer.status, answer.json.detail]).toEqual([400, 'EVENT_INVALID'])
    }
  })
})

it.each([
  [
    'an endpoint',
    () => api('', { url: receiver.url('/hooks'), eventTypes: ['ORDER_SHIPPED', 'ORDER_LOST'] }),
    '/eventTypes/1',
  ],
  ['a filter', () => api('/deliveries?eventType=ORDER_LOST'), '/eventType'],
  ['the feed', () => api('/events?types=ORDER_SHIPPED,ORDER_LOST'), '/types/1'],
  ['publishing', () => publish('ORDER_LOST', {}), '/eventType'],
  ['publishing what the server publishes itself', () => publish('KYC_STATUS_CHANGED', {}), '/eventType'],
])('%s with an unknown type is refused with the known ones', async (_, call, pointer) => {
  const answer = await call()
  expect([answer.status, answer.json.code]).toEqual([400, 'BAD_REQUEST'])
  expect(answer.json.violations).toEqual([
    { pointer, code: 'ENUM', message: expect.stringContaining('ORDER_SHIPPED') as string },
  ])
})

describe('EVENT_TYPES_FILE', () => {
  const canary = 'canary-value'
  it.each([
    ['no JSON', `{${canary}`],
    ['a list', '[]'],
    ['an unknown member', fileOf({ ...shipped, [canary]: 1 })],
    ['no scope', fileOf({ ...shipped, scopes: [] })],
    ['no description', fileOf({ ...shipped, description: '' })],
    ['a schema of a text', fileOf({ ...shipped, schema: { type: 'string' } })],
    [
      'a schema of a kind that does not exist',
      fileOf({ ...shipped, schema: { type: 'object', properties: { a: { type: canary } } } }),
    ],
    ['an example that the schema refuses', fileOf({ ...shipped, example: { orderId: canary } })],
    ['a name of the service', fileOf({ ...shipped, name: 'TRANSACTION_CREATE' })],
    ['a name twice', fileOf(shipped, shipped)],
  ])('is refused with %s, without a value of it', (_, text) => {
    const parsed = parseOwnEventTypes(text)
    expect(parsed).toMatchObject({ problem: expect.any(String) as string })
    expect((parsed as { problem: string }).problem).not.toContain(canary)
  })

  it('stops the start if it is missing or malformed', async () => {
    await expect(loadEventTypes(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'EVENT_TYPES_FILE_MISSING' })
    const broken = join(folder, 'broken.json')
    writeFileSync(broken, '{}')
    await expect(loadEventTypes(broken)).rejects.toMatchObject({ code: 'EVENT_TYPES_FILE_INVALID' })
    expect(await loadEventTypes(null)).toEqual([])
  })
})
