import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { checkReceiver } from '@kyc-relay/conformance'
import { createMemoryDeduplicationStore } from '@kyc-relay/webhooks'
import { beforeEach, expect, test, vi } from 'vitest'
import { createApp as createExpress } from './express.js'
import { createApp as createFastify } from './fastify.js'
import { createApp as createHono } from './hono.js'
import { createApp as createKoa } from './koa.js'
import { createReplayProofHandler } from './standard-webhooks.js'

const apiKey = 'kyc_key_example_only'
const options = { apiKey, onDeposit: () => Promise.resolve() }

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})

/** Runs the scenarios over the wire, and returns what went wrong. */
async function problemsOf(listener: (...args: Parameters<RequestListener>) => unknown, standardWebhooks = false) {
  const server = createServer((request, response) => void listener(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const url = `http://127.0.0.1:${port}/webhooks`
    const outcomes = await checkReceiver({ url, apiKey, standardWebhooks, now: () => new Date() })
    expect(outcomes.some(({ state }) => state === 'passed')).toBe(true)
    return outcomes.filter(({ state }) => state === 'failed')
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('the receiver for Express passes every scenario', async () => {
  expect(await problemsOf(createExpress(options))).toEqual([])
})

test('the receiver for Koa passes every scenario', async () => {
  expect(await problemsOf(createKoa(options).callback())).toEqual([])
})

test('the receiver for Hono passes every scenario', async () => {
  const app = createHono(options)
  expect(await problemsOf(getRequestListener((request) => app.fetch(request)))).toEqual([])
})

test('the receiver for Fastify passes every scenario', async () => {
  const app = createFastify(options)
  await app.ready()
  expect(await problemsOf((request, response) => app.routing(request, response))).toEqual([])
  await app.close()
})

test('the receiver that refuses replays passes every scenario of Standard Webhooks', async () => {
  const deduplicate = createMemoryDeduplicationStore({ now: Date.now })
  const handler = createReplayProofHandler({ ...options, deduplicate, now: () => new Date() })
  expect(await problemsOf(getRequestListener(handler), true)).toEqual([])
})
