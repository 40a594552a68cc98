import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const internal = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, body, token: server.demo.internalToken })
const appId = () => server.demo.apps[0]?.appId ?? ''
const issue = (userId: string, scope: string) =>
  internal('POST', '/access-tokens', { appId: appId(), userId, scopes: [scope] })

it('a revocation at the same time as a token is not lost, and refuses no token', async () => {
  const userId = randomUUID()
  for (let round = 0; round < 10; round += 1) {
    await issue(userId, 'REVOKED')
    const tokens = Array.from({ length: 4 }, () => issue(userId, 'VERIFY_KYC'))
    const revoked = internal('DELETE', `/grants/${appId()}/${userId}`)
    const answers = await Promise.all([...tokens, revoked])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 204])
    const grant = await internal('GET', `/grants/${appId()}/${userId}`)
    expect(grant.json.scopes ?? []).not.toContain('REVOKED')
  }
})
