import { expect, it, onTestFinished } from 'vitest'
import { answerWith, startProxy, type ProxyRule } from '../../../../packages/webhooks/test/https/local/proxy-server.js'
import { startReceiver } from '../local-receiver.js'
import { startTestServer } from '../running-server.js'

interface Attempt {
  readonly state: string
  readonly cause: string | null
  readonly address: string | null
}

it('webhooks go out through OUTBOUND_PROXY; while it refuses they are UNSENT, and lose no attempt', async () => {
  const refuse = answerWith('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
  let rule: ProxyRule = refuse
  const proxy = await startProxy((...request) => rule(...request))
  onTestFinished(() => proxy.close())
  const password = 'canary-of-the-proxy'
  const server = await startTestServer({ OUTBOUND_PROXY: `http://kyc:${password}@127.0.0.1:${proxy.port}` })
  onTestFinished(() => server.stop())
  const { demo } = server
  const receiver = await startReceiver(demo)
  onTestFinished(() => receiver.close())
  const [app] = demo.apps
  const [user] = demo.users
  const url = receiver.url('/proxied')
  const partner = { token: app?.apiKey ?? null }
  await server.call(`${demo.apiUrl}/api/v1/webhooks`, { ...partner, body: { url } })
  const published = await server.call(`${demo.internalUrl}/internal/v1/events`, {
    token: demo.internalToken,
    body: { appId: user!.appId, userId: user!.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } },
  })
  expect(published.status).toBe(202)
  const deliveries = await server.call(`${demo.apiUrl}/api/v1/webhooks/deliveries`, partner)
  const [delivery] = (deliveries.json as { items: { deliveryId: string }[] }).items
  const attempts = async () => {
    const answer = await server.call(`${demo.apiUrl}/api/v1/webhooks/deliveries/${delivery?.deliveryId}`, partner)
    return (answer.json as { attempts: Attempt[] }).attempts
  }
  await expect.poll(attempts).toMatchObject([{ state: 'UNSENT', cause: 'PROXY_FAILED' }])
  rule = () => true
  await receiver.arrived('/proxied', 1)
  await expect.poll(async () => (await attempts()).map(({ state }) => state)).toContain('SUCCEEDED')
  expect(receiver.received).toHaveLength(1)
  const target = `127.0.0.1:${new URL(url).port}`
  expect(proxy.seen.at(-1)).toEqual({ target, authorization: `Basic ${btoa(`kyc:${password}`)}` })
  expect((await attempts()).find(({ state }) => state === 'SUCCEEDED')).toMatchObject({ address: '127.0.0.1' })
  expect(server.logLines.join('\n')).not.toContain(password)
})
