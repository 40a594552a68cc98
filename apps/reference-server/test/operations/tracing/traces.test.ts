import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as startRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { eventExample } from '@kyc-relay/webhooks/events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseEnv } from '../../../src/env.js'
import { readDemoFile } from '../../../src/start/demo-file.js'
import { createLog } from '../../../src/operations/log.js'
import { startServer } from '../../../src/server.js'
import { startReceiver, type LocalReceiver } from '../../local-receiver.js'
import {
  startTestServer,
  submissionDocument,
  submissionVariables,
  type RunningTestServer,
} from '../../running-server.js'
import { instrumentRequests } from './instrumented-requests.js'
import { recordSpans, type RecordedSpans } from './recorded-spans.js'

/** Of a caller, ours or a stranger. */
const callers = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${callers.traceId}-${callers.spanId}-01`

let spans: RecordedSpans
let server: RunningTestServer
let receiver: LocalReceiver

beforeAll(async () => {
  spans = recordSpans()
  server = await startTestServer({ EXTERNAL_TOKENIZER: '1' })
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
  await spans.stop()
})

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}
/** The request of one test, found by its id. */
const requestSpan = async (answer: { headers: Record<string, string | string[] | undefined> }) => {
  const id = answer.headers['x-request-id']
  const [span] = await spans.ended(({ attributes }) => attributes['kyc_relay.request_id'] === id)
  return span as ReadableSpan
}
const childOf = async (parent: ReadableSpan, name: string) => {
  const isChild = (span: ReadableSpan) =>
    span.name === name && span.parentSpanContext?.spanId === parent.spanContext().spanId
  const [span] = await spans.ended(isChild)
  return span as ReadableSpan
}
const submit = (variables: Record<string, unknown>, host: 'secure' | 'api' = 'secure') =>
  server.call(`${host === 'secure' ? server.demo.secureUrl : server.demo.apiUrl}/api/v1/graphql`, {
    body: { query: submissionDocument, variables },
    token: user(0).accessToken,
    headers: { traceparent, tracestate: 'vendor=whatever', baggage: 'who=whatever' },
  })
async function register(path: string, appIndex = 0): Promise<void> {
  const token = server.demo.apps[appIndex]?.apiKey ?? null
  const answer = await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
    token,
    body: { url: receiver.url(path) },
  })
  expect(answer.status).toBe(201)
}
const publish = (index = 0, headers: Record<string, string> = { traceparent }) =>
  server.call(`${server.demo.internalUrl}/internal/v1/events`, {
    token: server.demo.internalToken,
    headers,
    body: {
      appId: user(index).appId,
      userId: user(index).userId,
      eventType: 'WIDGET_DEPOSIT_COMPLETE',
      data: { amount: 100.5 },
    },
  })

describe('a submission', () => {
  it('at the secure endpoint is a trace of its own, linked to the one of the stranger who sent it', async () => {
    const answer = await submit(submissionVariables())
    const request = await requestSpan(answer)
    expect(request.name).toBe('POST /api/v1/graphql')
    expect(request.kind).toBe(SpanKind.SERVER)
    expect(request.parentSpanContext).toBeUndefined()
    expect(request.spanContext().traceId).not.toBe(callers.traceId)
    expect(request.links.map(({ context }) => context)).toEqual([{ ...callers, traceFlags: 1, isRemote: true }])
    expect(request.attributes).toEqual({
      'kyc_relay.request_id': answer.headers['x-request-id'],
      'kyc_relay.listener': 'secure',
      'http.request.method': 'POST',
      'http.route': '/api/v1/graphql',
      'http.response.status_code': 200,
    })

    const ingestion = await childOf(request, 'ingest submission')
    const { verificationId } = answer.json.data.postKycVerification as { verificationId: string }
    expect(ingestion.attributes).toEqual({
      'kyc_relay.outcome': 'VERIFIED',
      'kyc_relay.verification_id': verificationId,
    })
    expect((await childOf(ingestion, 'tokenize')).attributes).toEqual({})
    expect((await childOf(ingestion, 'record verification')).attributes).toEqual({ 'kyc_relay.outcome': 'recorded' })
  })

  it('that is sent again shows as a replay, without tokenization or a write', async () => {
    const variables = submissionVariables()
    await submit(variables)
    const ingestion = await childOf(await requestSpan(await submit(variables)), 'ingest submission')
    expect(ingestion.attributes['kyc_relay.outcome']).toBe('REPLAYED')
    const inside = spans.all.filter((span) => span.parentSpanContext?.spanId === ingestion.spanContext().spanId)
    expect(inside).toEqual([])
  })

  it('that is refused shows the code and how many violations there were', async () => {
    const refused = await submit(submissionVariables({ decision: 'MAYBE', schemaVersion: '9' }))
    const ingestion = await childOf(await requestSpan(refused), 'ingest submission')
    expect(ingestion.attributes).toEqual({ 'kyc_relay.outcome': 'VALIDATION_FAILED', 'kyc_relay.violations': 2 })
    expect(ingestion.status.code).toBe(SpanStatusCode.UNSET)
  })

  it('of tokens at the standard API has the same spans', async () => {
    const { ssn: _ssn, ssnLast4: _last4, ...person } = submissionVariables().person as Record<string, unknown>
    const verifications = { database: { verificationId: 'db-1', status: 'PASSED' } }
    const request = await requestSpan(await submit(submissionVariables({ person, verifications }), 'api'))
    expect(request.attributes['kyc_relay.listener']).toBe('api')
    expect(request.links).toHaveLength(1)
    await childOf(await childOf(request, 'ingest submission'), 'record verification')
  })
})

describe('an event', () => {
  it('published by one of our services is part of its trace, and its delivery links to the publishing', async () => {
    await register('/linked')
    const answer = await publish()
    const request = await requestSpan(answer)
    expect(request.name).toBe('POST /internal/v1/events')
    expect(request.spanContext().traceId).toBe(callers.traceId)
    expect(request.parentSpanContext).toMatchObject(callers)
    const { eventId, deliveries } = answer.json as {
      eventId: string
      deliveries: { deliveryId: string; endpointId: string }[]
    }
    const publishing = await childOf(request, 'publish event')
    expect(publishing.kind).toBe(SpanKind.PRODUCER)
    expect(publishing.attributes).toEqual({
      'kyc_relay.app_id': user(0).appId,
      'kyc_relay.event_id': eventId,
      'kyc_relay.event_type': 'WIDGET_DEPOSIT_COMPLETE',
      'kyc_relay.deliveries': 1,
      'kyc_relay.duplicate': false,
    })

    const [delivery] = await spans.ended(
      ({ name, attributes }) => name === 'deliver event' && attributes['kyc_relay.event_id'] === eventId,
    )
    expect(delivery?.kind).toBe(SpanKind.CLIENT)
    expect(delivery?.parentSpanContext).toBeUndefined()
    expect(delivery?.spanContext().traceId).not.toBe(callers.traceId)
    const { traceId, spanId } = publishing.spanContext()
    expect(delivery?.links.map(({ context }) => context)).toEqual([{ traceId, spanId, traceFlags: 1, isRemote: true }])
    expect(delivery?.attributes).toEqual({
      'kyc_relay.app_id': user(0).appId,
      'kyc_relay.event_id': eventId,
      'kyc_relay.event_type': 'WIDGET_DEPOSIT_COMPLETE',
      'kyc_relay.delivery_id': deliveries[0]?.deliveryId,
      'kyc_relay.endpoint_id': deliveries[0]?.endpointId,
      'kyc_relay.attempt': 1,
      'kyc_relay.attempt_state': 'SUCCEEDED',
      'kyc_relay.delivery_state': 'DELIVERED',
      'kyc_relay.write_outcome': 'applied',
      'kyc_relay.status_class': '2xx',
    })
    expect(delivery?.status.code).toBe(SpanStatusCode.UNSET)
  })

  it('reaches the partner without a word of our traces, also where an instrumentation would add them', async () => {
    const stop = instrumentRequests()
    await publish(0, {})
    const [, request] = await receiver.arrived('/linked', 2)
    expect(Object.keys(request?.headers ?? {}).filter((name) => /trace|baggage|b3/.test(name))).toEqual([])
    const asked = startRequest(receiver.url('/control'), { ca: readFileSync(server.demo.caFile) }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(answer.resume().statusCode).toBe(200)
    const [control] = await receiver.arrived('/control', 1)
    stop()
    expect(control?.headers).toHaveProperty('traceparent')
  })

  it('has no part in what is asked of the host of a photo either', async () => {
    const stop = instrumentRequests()
    const verifications = {
      document: {
        verificationId: 'doc-1',
        status: 'PASSED',
        documentClass: 'PASSPORT',
        documentNumber: 'X1234567',
        issuingCountryCode: 'US',
        photos: { front: receiver.url('/photo.jpg') },
      },
    }
    const answer = await submit(submissionVariables({ verifications }))
    expect(answer.json.data.postKycVerification.status).toMatch(/VERIFIED$/)
    const [request] = await receiver.arrived('/photo.jpg', 1)
    stop()
    expect(Object.keys(request?.headers ?? {}).filter((name) => /trace|baggage|b3/.test(name))).toEqual([])
  })

  it('that an endpoint refuses has one span for each attempt, each with its number and what came of it', async () => {
    receiver.answer('/linked', 503, 503)
    const { eventId } = (await publish()).json as { eventId: string }
    const ofEvent = ({ name, attributes }: ReadableSpan) =>
      name === 'deliver event' && attributes['kyc_relay.event_id'] === eventId
    const attempts = await spans.ended(ofEvent, 3)
    const seen = attempts.map(({ attributes, status, links }) => [
      attributes['kyc_relay.attempt'],
      attributes['kyc_relay.attempt_state'],
      attributes['kyc_relay.delivery_state'],
      attributes['kyc_relay.status_class'],
      attributes['error.type'] ?? null,
      status.code,
      links.length,
    ])
    expect(seen).toEqual([
      [1, 'FAILED', 'PENDING', '5xx', 'HTTP_STATUS', SpanStatusCode.ERROR, 1],
      [2, 'FAILED', 'PENDING', '5xx', 'HTTP_STATUS', SpanStatusCode.ERROR, 1],
      [3, 'SUCCEEDED', 'DELIVERED', '2xx', null, SpanStatusCode.UNSET, 1],
    ])
  })

  it('of a transaction is published inside the request that moved it', async () => {
    const { appId, userId } = user(0)
    const filled = ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName', 'status', 'transactionId']
    const example = Object.entries(eventExample('TRANSACTION_CREATE')).filter(([field]) => !filled.includes(field))
    const created = await server.call(`${server.demo.internalUrl}/internal/v1/transactions`, {
      token: server.demo.internalToken,
      headers: { traceparent },
      body: { appId, userId, data: Object.fromEntries(example) },
    })
    expect(created.status).toBe(201)
    const request = await requestSpan(created)
    expect(request.name).toBe('POST /internal/v1/transactions')
    const publishing = await childOf(request, 'publish event')
    const { eventId } = created.json as { eventId: string }
    expect(publishing.attributes).toMatchObject({
      'kyc_relay.event_id': eventId,
      'kyc_relay.event_type': 'TRANSACTION_CREATE',
    })
    const [delivery] = await spans.ended(
      ({ name, attributes }) => name === 'deliver event' && attributes['kyc_relay.event_id'] === eventId,
    )
    expect(delivery?.links[0]?.context.spanId).toBe(publishing.spanContext().spanId)
  })

  it('published without a traceparent begins a trace of its own', async () => {
    const request = await requestSpan(await publish(0, {}))
    expect(request.parentSpanContext).toBeUndefined()
    expect(request.links).toEqual([])
  })

  it('of a caller who does not know the internal token leaves no span', async () => {
    const answer = await server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: 'not-the-internal-token',
      headers: { traceparent },
      body: {},
    })
    expect(answer.status).toBe(401)
    const id = answer.headers['x-request-id']
    await requestSpan(await publish())
    expect(spans.all.filter(({ attributes }) => attributes['kyc_relay.request_id'] === id)).toEqual([])
  })

  it('with ids in its path is named after the route', async () => {
    const answer = await server.call(
      `${server.demo.internalUrl}/internal/v1/transactions/4b0d9c46-0000-4000-8000-000000000001`,
      {
        method: 'PATCH',
        token: server.demo.internalToken,
        body: { status: 'SETTLED' },
      },
    )
    expect(answer.status).toBe(404)
    const request = await requestSpan(answer)
    expect(request.name).toBe('PATCH /internal/v1/transactions/:transactionId')
    expect(JSON.stringify(request.attributes)).not.toContain('4b0d9c46')
  })
})

describe('after a restart', () => {
  it('a delivery links to the publishing that another process did', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-traces-'))
    const start = (role: string) =>
      startServer(
        parseEnv({
          ROLE: role,
          PORT: '0',
          INTERNAL_PORT: '0',
          SECURE_PORT: '0',
          DATA_DIR: dataDir,
          ALLOW_LOOPBACK_RECEIVERS: '1',
        }),
        createLog({ logLevel: 'silent' }, { write: () => undefined }),
      )
    await (await start('all')).stop('TEST')
    const demo = await readDemoFile(dataDir)
    const other = demo === null ? null : await startReceiver(demo)
    if (demo === null || other === null) throw new Error('the demo was not seeded')

    const publisher = await start('api')
    const apiUrl = `http://127.0.0.1:${publisher.ports.api}/api/v1/webhooks`
    await server.call(apiUrl, { token: demo.apps[0]?.apiKey ?? null, body: { url: other.url('/later') } })
    const { appId, userId } = demo.users[0] ?? { appId: '', userId: '' }
    const published = await server.call(`http://127.0.0.1:${publisher.ports.internal}/internal/v1/events`, {
      token: readFileSync(join(dataDir, 'internal-token'), 'utf8'),
      body: { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 1 } },
    })
    expect(published.status).toBe(202)
    const publishing = await childOf(await requestSpan(published), 'publish event')
    await publisher.stop('TEST')

    const worker = await start('all')
    await other.arrived('/later', 1)
    const { eventId } = published.json as { eventId: string }
    const [delivery] = await spans.ended(
      ({ name, attributes }) => name === 'deliver event' && attributes['kyc_relay.event_id'] === eventId,
    )
    const { traceId, spanId } = publishing.spanContext()
    expect(delivery?.links.map(({ context }) => context)).toEqual([{ traceId, spanId, traceFlags: 1, isRemote: true }])
    await worker.stop('TEST')
    await other.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})
