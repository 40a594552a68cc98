import { afterAll, beforeAll, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'
import { createPortalClient } from './portal-client.js'

let server: RunningTestServer
let receiver: LocalReceiver
beforeAll(async () => {
  server = await startTestServer({ DELIVERY_RETRY_BASE_MS: '60000' })
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

const wordsOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

async function api(path: string, body?: object) {
  const { json } = await server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    token: server.demo.apps[0]?.apiKey ?? null,
    ...(body === undefined ? {} : { body }),
  })
  return json
}

it('says what a pending delivery waits for, and leads from the log to the recovery of its URL', async () => {
  receiver.answerBy('/waits', () => 503)
  const { id } = await api('', {
    url: receiver.url('/waits'),
    standardWebhooks: true,
    headers: { 'X-Tenant': 'north' },
  })
  const [user] = server.demo.users
  const event = { appId: user?.appId, userId: user?.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 3 } }
  const publish = async () => {
    const answer = await server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      method: 'POST',
      token: server.demo.internalToken,
      body: event,
    })
    return answer.json.deliveries[0].deliveryId as string
  }
  const tried = await publish()
  await expect.poll(async () => (await api(`/deliveries/${tried}`)).attempts[0]?.state).toBe('FAILED')
  const browser = createPortalClient(server)
  await browser.signIn()
  expect(wordsOf((await browser.get('/portal/deliveries')).text)).toMatch(/1 of 5 next \d/)
  expect(wordsOf((await browser.get(`/portal/deliveries/${tried}`)).text)).toMatch(/Next attempt in \d+ (?:s|min)/)

  await api(`/${id}/pause`, {})
  const waiting = await publish()
  const log = await browser.get('/portal/deliveries')
  expect(wordsOf(log.text).match(/\d of 5 URL is paused/g)).toEqual(['0 of 5 URL is paused', '1 of 5 URL is paused'])
  for (const delivery of [tried, waiting]) {
    const page = await browser.get(`/portal/deliveries/${delivery}`)
    expect(wordsOf(page.text)).toContain('Next attempt URL is paused')
  }
  // The only URL, and the chosen one of two; without a choice the log says what to do.
  expect(log.text).toContain(`href="/portal/webhooks/${id}/recover"`)
  await api('', { url: receiver.url('/other') })
  const unchosen = await browser.get('/portal/deliveries')
  expect(unchosen.text).not.toContain('/recover"')
  expect(unchosen.text).toContain('Choose a URL to recover what it missed.')
  const chosen = await browser.get(`/portal/deliveries?endpointId=${id}`)
  expect(chosen.text).toContain(`href="/portal/webhooks/${id}/recover"`)

  const endpoint = wordsOf((await browser.get(`/portal/webhooks/${id}`)).text)
  expect(endpoint).toContain('All standard types with Standard Webhooks headers with X-Tenant')
})

it('says at sign-in where an API key comes from', async () => {
  const { text } = await createPortalClient(server).get('/portal/sign-in')
  expect(text).toMatch(/aria-describedby="key-hint"/)
  expect(wordsOf(text)).toContain('You get the first key when your application is registered.')
})
