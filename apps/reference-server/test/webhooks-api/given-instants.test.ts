import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { createPortalClient } from '../portal/portal-client.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

/** The same instant as different languages print it. */
const noon = [
  '2026-05-31T12:00:00.000Z',
  '2026-05-31T14:00:00+02:00',
  '2026-05-31t12:00:00.123456789z',
  '2026-05-31T12:00Z',
  '2026-05-31 12:00:00+00',
  '2026-05-31T12:00:00,000',
  '20260531T120000Z',
  '2026-05-31T17:30:00+0530',
  '2026-05-31T11:59:60Z',
  '2026-05-31T12:00:00Z[UTC]',
]

const extremes = [
  ['0001-01-01T00:00:00Z', null],
  ['9999-12-31T23:59:59.999Z', null],
  ['0000-12-31T23:59:59.999Z', 'RANGE'],
  ['0001-01-01T00:00:00+00:01', 'RANGE'],
  ['9999-12-31T23:59:59.999-00:01', 'RANGE'],
  ['+010000-01-01T00:00:00Z', 'FORMAT'],
  ['294277-01-01T00:00:00Z', 'FORMAT'],
  ['infinity', 'FORMAT'],
  ['2026-02-30T00:00:00Z', 'FORMAT'],
] as const

describe.each(['sqlite', 'postgres'] as const)('times of requests on %s', (engine) => {
  let server: RunningTestServer
  let postgres: PostgresServer | null = null
  let endpointId: string
  const call = (path: string, body?: unknown) =>
    server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, {
      token: server.demo.apps[0]?.apiKey ?? null,
      ...(body === undefined ? {} : { body }),
    })
  beforeAll(async () => {
    if (engine === 'postgres') postgres = await startPostgres()
    server = await startTestServer(postgres === null ? {} : { DATABASE_URL: await postgres.createDatabase() })
    endpointId = (await call('', { url: 'https://localhost:48443/hooks' })).json.id as string
    await call(`/${endpointId}/test`, {})
  })
  afterAll(async () => {
    await server.stop()
    await postgres?.stop()
  })

  it.each(noon)('%s is taken by recoveries and by the delivery log', async (text) => {
    const counted = await call(`/${endpointId}/recover`, { since: text, until: '2999-01-01 00:00', dryRun: true })
    expect(counted.status).toBe(200)
    const log = await call(`/deliveries?createdAfter=${encodeURIComponent(text)}`)
    expect([log.status, log.json.items.length]).toEqual([200, 1])
    const before = await call(`/deliveries?createdBefore=${encodeURIComponent(text)}`)
    expect([before.status, before.json.items.length]).toEqual([200, 0])
  })

  it.each(extremes)('%s is refused as %s', async (text, code) => {
    const ends = [
      [
        '/since',
        await call(`/${endpointId}/recover`, { since: text, until: '9999-12-31T23:59:59.999Z', dryRun: true }),
      ],
      ['/until', await call(`/${endpointId}/recover`, { since: '0001-01-01T00:00:00Z', until: text, dryRun: true })],
    ] as const
    for (const [pointer, answer] of ends) {
      // A range that begins at its end is refused for its end.
      const isEmpty = /^0001-01-01T00:00:00Z$/.test(text)
        ? pointer === '/until'
        : /^9999.*Z$/.test(text) && pointer === '/since'
      if (code === null && !isEmpty) expect([pointer, answer.status]).toEqual([pointer, 200])
      else
        expect([answer.status, answer.json.violations]).toMatchObject([
          400,
          [isEmpty ? { pointer: '/until' } : { pointer, code }],
        ])
    }
    for (const name of ['createdAfter', 'createdBefore']) {
      const answer = await call(`/deliveries?${name}=${encodeURIComponent(text)}`)
      expect([name, answer.status, answer.json.violations?.[0]?.code ?? null]).toEqual([
        name,
        code === null ? 200 : 400,
        code,
      ])
    }
  })

  it('starts a recovery that ends with the last year, and no other, in the portal as well', async () => {
    const range = { since: '0001-01-01T00:00:00Z', until: '9999-12-31T23:59:59.999Z' }
    const started = await call(`/${endpointId}/recover`, range)
    expect(started.status).toBe(202)
    const path = `/${endpointId}/recoveries/${started.json.recoveryId}`
    await expect.poll(async () => (await call(path)).json.state).toBe('DONE')
    const browser = createPortalClient(server)
    await browser.signIn()
    const action = `/portal/webhooks/${endpointId}/recover`
    const form = await browser.get(action)
    for (const [from, until, status] of [
      ['0001-01-01T00:00', '9999-12-31T23:59', 200],
      ['0000-01-01T00:00', '', 400],
      ['0001-01-01T00:00', '99999-01-01T00:00', 400],
      ['2026-02-30T00:00', '', 400],
      ['2026-02-28T24:00', '', 400],
      ['2026-02-28T12:00:60', '', 400],
      ['2024-02-29T00:00', '', 200],
    ] as const)
      expect([from, (await browser.submit(form, action, { from, until })).status]).toEqual([from, status])
  })
})
