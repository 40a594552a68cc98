import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKeyFile } from '@kyc-relay/kyc-core/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { createCursorSeal } from '../../src/storage/sealed-cursors.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

const app = (index: number) => server.demo.apps[index]!
const read = (query = '', index = 0) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks/events${query}`, { token: app(index).apiKey })

interface Item {
  readonly eventId: string
  readonly eventType: string
  readonly createdAt: string
  readonly body: string
  readonly deliveries: readonly { endpointId: string; xEventId: string; status: string | null }[]
}
const itemsOf = ({ json }: { readonly json: Record<string, unknown> }) => json['items'] as Item[]

async function publish(amount: number) {
  const [user] = server.demo.users
  const event = { appId: user?.appId, userId: user?.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount } }
  const { internalUrl, internalToken } = server.demo
  const answer = await server.call(`${internalUrl}/internal/v1/events`, { token: internalToken, body: event })
  expect(answer.status).toBe(202)
  return answer.json['eventId'] as string
}

it('gives a partner that polls and receives webhooks each event once, with the bytes that were sent', async () => {
  const sent = new Map<string, string>()
  receiver.answerBy('/hook', ({ headers, body }) => {
    sent.set(String(headers['x-event-id']), body.toString())
    return { status: 200 }
  })
  const missed = await publish(1)
  const registered = await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
    token: app(0).apiKey,
    body: { url: receiver.url('/hook') },
  })
  const endpointId = registered.json['id'] as string
  const received = await publish(2)
  await expect.poll(async () => itemsOf(await read())[1]?.deliveries[0]?.status).toBe('DELIVERED')
  const page = await read()
  expect(itemsOf(page).map((item) => [item.eventId, item.deliveries[0]?.status])).toEqual([
    [missed, null],
    [received, 'DELIVERED'],
  ])
  const [first, second] = itemsOf(page)
  expect(sent).toEqual(new Map([[second!.deliveries[0]!.xEventId, second!.body]]))
  expect(JSON.parse(first!.body)).toMatchObject({ amount: 1 })
  // What the feed listed is the id that a recovery sends.
  const recovering = { since: first!.createdAt, until: second!.createdAt }
  const url = `${server.demo.apiUrl}/api/v1/webhooks/${endpointId}/recover`
  await server.call(url, { token: app(0).apiKey, body: recovering })
  await expect.poll(() => sent.size, { timeout: 20_000 }).toBe(2)
  expect(sent.get(first!.deliveries[0]!.xEventId)).toBe(first!.body)
})

it('has a cursor on every page, filters by type, and keeps apps apart', async () => {
  const one = await read('?limit=1')
  const [, second] = itemsOf(await read())
  expect(itemsOf(await read(`?limit=1&after=${String(one.json['nextCursor'])}`))[0]).toEqual(second)
  const end = await read('?limit=100')
  const after = String(end.json['nextCursor'])
  expect((await read(`?after=${after}`)).json).toEqual({ items: [], nextCursor: after })
  expect(itemsOf(await read('?types=WIDGET_WITHDRAW_COMPLETE,TRANSACTION_CREATE'))).toEqual([])
  expect(itemsOf(await read('?types=WIDGET_WITHDRAW_COMPLETE&types=WIDGET_DEPOSIT_COMPLETE'))).toHaveLength(2)
  expect(itemsOf(await read('', 1))).toEqual([])
  expect((await read(`?after=${after}`, 1)).json).toMatchObject({ status: 400, code: 'CURSOR_INVALID' })
})

it('refuses what it does not know, with a code and without the value', async () => {
  const { seal } = createCursorSeal(parseKeyFile(readFileSync(join(server.dataDir, 'keys.json'), 'utf8')))
  const ahead = seal(Buffer.from(`f0.999999.${app(0).appId}`).toString('base64url'))
  for (const [query, status, code] of [
    ['?after=canary', 400, 'CURSOR_INVALID'],
    [`?after=${ahead}`, 410, 'CURSOR_UNKNOWN'],
    ['?types=canary', 400, 'BAD_REQUEST'],
    ['?limit=0', 400, 'BAD_REQUEST'],
    ['?limit=canary', 400, 'BAD_REQUEST'],
    ['?cursor=canary', 400, 'UNKNOWN_PARAMETER'],
  ] as const) {
    const refused = await read(query)
    expect([query, refused.status, refused.json['code']]).toEqual([query, status, code])
    expect(refused.text).not.toContain('canary')
  }
  const anonymous = await server.call(`${server.demo.apiUrl}/api/v1/webhooks/events`)
  expect(anonymous.status).toBe(401)
})

it('leaves out an erased user, and goes on after the bodies of a cursor are gone', async () => {
  const [user] = server.demo.users
  const before = String((await read()).json['nextCursor'])
  const { internalUrl, internalToken } = server.demo
  const erased = await server.call(`${internalUrl}/internal/v1/users/${user!.userId}/pii`, {
    method: 'DELETE',
    token: internalToken,
    body: { purpose: 'request of the user' },
  })
  expect(erased.status).toBeLessThan(300)
  expect(itemsOf(await read())).toEqual([])
  expect((await read(`?after=${before}`)).json).toEqual({ items: [], nextCursor: before })
})

it('tells an operator how far it is behind', async () => {
  const metrics = await server.call(`${server.demo.internalUrl}/metrics`)
  expect(metrics.text).toMatch(/^kyc_relay_feed_lag_seconds 0$/m)
})
