import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const id = '7a000000-0000-4000-8000-000000000001'
const event = { appId: id, userId: id, eventType: 'WIDGET_KYC_INITIATION', data: {} }

it.each([
  ['/events', { ...event, note: 1 }, [' UNKNOWN_FIELD']],
  ['/events', { ...event, JaneExample: 1, JohnExample: 2 }, [' UNKNOWN_FIELD']],
  ['/events', { ...event, '078-05-1120': 1 }, [' UNKNOWN_FIELD']],
  ['/events', { ...event, 'Jane Example': 1 }, [' UNKNOWN_FIELD']],
  ['/events', { ...event, userId: undefined }, ['/userId REQUIRED']],
  ['/events', { ...event, userId: null }, ['/userId TYPE']],
  ['/events', { ...event, userId: 'me' }, ['/userId FORMAT']],
  ['/events', { ...event, eventType: 'WIDGET' }, ['/eventType ENUM']],
  ['/access-tokens', { appId: id, scopes: [] }, ['/scopes RANGE']],
  ['/access-tokens', { appId: id, scopes: ['lower'] }, ['/scopes/0 FORMAT']],
  ['/transactions', { appId: id, data: [] }, ['/userId REQUIRED', '/data TYPE']],
  ['/transactions', { appId: id, userId: id, data: { transactionId: 5 } }, ['/data/transactionId TYPE']],
])('%s says of %j what is wrong and where', async (path, body, expected) => {
  const { demo } = server
  const answer = await server.call(`${demo.internalUrl}/internal/v1${path}`, { body, token: demo.internalToken })
  expect(answer.json).toMatchObject({ status: 400, code: 'BAD_REQUEST', detail: 'BODY_INVALID' })
  const violations = answer.json.violations as { pointer: string; code: string; message: string }[]
  expect(violations.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected)
  for (const { message } of violations) expect(message).toMatch(/^.+\.$/)
})

it('the name of an app can be typed and read', async () => {
  const { demo } = server
  for (const text of ['\0', '\u0007', 'two\nlines', 'two\u2028lines', 'a\u202eb', 'a\u2066b']) {
    const body = { name: `Example ${text}` }
    const answer = await server.call(`${demo.internalUrl}/internal/v1/apps`, { body, token: demo.internalToken })
    expect(answer.json, JSON.stringify(body)).toMatchObject({ violations: [{ pointer: '/name', code: 'FORMAT' }] })
  }
})
