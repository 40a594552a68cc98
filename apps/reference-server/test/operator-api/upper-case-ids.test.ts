import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorClient, createPortalClient, signInOperator } from '../portal/portal-client.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

// RFC 9562, 4: UUIDs are written in lower case and read in either. A spelling that meets nobody is worst at an erasure,
// which is harmless when repeated and so has nothing to complain about.
let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}
const internal = (method: 'POST' | 'DELETE' | 'PUT', path: string, body?: unknown) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, body, token: server.demo.internalToken })
const webhooks = (path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: unknown) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, {
    method,
    body,
    token: server.demo.apps[0]?.apiKey ?? '',
  })
const submit = async (index: number) => {
  const { accessToken } = user(index)
  const variables = submissionVariables()
  const answer = await server.graphql('secure', { query: submissionDocument, variables }, { token: accessToken })
  return answer.json.data.postKycVerification.verificationId as string
}

describe('ids in upper case mean the same', () => {
  it('for an erasure', async () => {
    await submit(0)
    const { userId, appId } = user(0)
    const erased = await internal('DELETE', `/users/${userId.toUpperCase()}/pii`, { purpose: 'request of the user' })
    expect(erased.json).toMatchObject({ userId, apps: [{ appId, tokensErased: 1 }] })
  })

  it('for an access token, which makes no second user', async () => {
    const { appId, userId, accountId } = user(1)
    const request = { appId: appId.toUpperCase(), userId: userId.toUpperCase(), scopes: ['VERIFY_KYC'] }
    const issued = await internal('POST', '/access-tokens', request)
    expect(issued.json).toMatchObject({ userId, accountId })
  })

  it('for an event, which is not withheld', async () => {
    await webhooks('', 'POST', { url: 'https://example.com/hooks' })
    const { appId, userId } = user(1)
    const ids = { appId: appId.toUpperCase(), userId: userId.toUpperCase() }
    const sent = await internal('POST', '/events', { ...ids, eventType: 'WIDGET_KYC_INITIATION', data: {} })
    expect(sent.json).toMatchObject({ deliveries: [{}] })
    expect(sent.json.withheld).toBeUndefined()
  })

  it('for a grant that is set and revoked', async () => {
    const { appId, userId, accountId, externalReferenceId } = user(2)
    const path = `/grants/${appId.toUpperCase()}/${userId.toUpperCase()}`
    const terms = { accountId: accountId.toUpperCase(), externalReferenceId, scopes: ['VERIFY_KYC'] }
    expect((await internal('PUT', path, terms)).json).toMatchObject({ appId, userId, accountId })
    expect((await internal('DELETE', path)).status).toBe(204)
  })

  it('for a revocation of no ids at all, which meets nobody', async () => {
    expect((await internal('DELETE', '/grants/x/y')).status).toBe(404)
  })

  it('for endpoints and deliveries of the webhook API', async () => {
    const { id } = (await webhooks('', 'POST', { url: 'https://example.com/hooks' })).json
    const upper = String(id).toUpperCase()
    expect((await webhooks(`/${upper}`)).json).toMatchObject({ id })
    expect((await webhooks(`/${upper}/test`, 'POST')).status).toBe(202)
    const { items } = (await webhooks(`/deliveries?endpointId=${upper}`)).json
    expect(items).toMatchObject([{ endpointId: id }])
    expect((await webhooks(`/deliveries/${String(items[0].id).toUpperCase()}`)).status).toBe(200)
    expect((await webhooks(`/${upper}`, 'DELETE')).status).toBe(204)
  })

  it('for a verification that is asked for', async () => {
    const verificationId = await submit(3)
    const query = 'query ($id: ID!) { kycVerification(verificationId: $id) { verificationId } }'
    const variables = { id: verificationId.toUpperCase() }
    const answer = await server.graphql('api', { query, variables }, { token: user(3).accessToken })
    expect(answer.json.data.kycVerification).toEqual({ verificationId })
  })

  it('for pages of the portal', async () => {
    const { id } = (await webhooks('', 'POST', { url: 'https://example.com/hooks' })).json
    const test = (await webhooks(`/${id}/test`, 'POST')).json
    const [{ deliveryId }] = test.deliveries
    const browser = createPortalClient(server)
    await browser.signIn()
    const upper = String(id).toUpperCase()
    for (const page of ['', '/change', '/test', '/recover', '/remove'])
      expect((await browser.get(`/portal/webhooks/${upper}${page}`)).status).toBe(200)
    expect((await browser.get(`/portal/deliveries/${String(deliveryId).toUpperCase()}`)).status).toBe(200)
    const page = await browser.get('/portal/webhooks')
    const fields = { csrf: /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '' }
    for (const action of ['pause', 'resume', 'remove'])
      expect((await browser.post(`/portal/webhooks/${upper}/${action}`, fields)).status).toBe(303)
  })

  it("for pages of the operators' portal", async () => {
    const verificationId = await submit(4)
    const { appId, userId } = user(4)
    const browser = createOperatorClient(server)
    await signInOperator(browser, server.demo.operatorToken)
    const path = [appId, userId, verificationId].join('/').toUpperCase()
    const page = await browser.get(`/portal/kyc/${path}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain(server.demo.apps[0]?.name)
  })
})

describe('a user id that is a UUID of no version of RFC 9562', () => {
  it('finds the user everywhere', async () => {
    const userId = '12345678-1234-1234-1234-1234567890ab'
    const { appId, accountId } = user(1)
    const terms = { accountId, externalReferenceId: 'old-customer', scopes: ['VERIFY_KYC', 'MAKE_PAYOUT_SEND'] }
    expect((await internal('PUT', `/grants/${appId}/${userId}`, terms)).status).toBe(200)
    await webhooks('', 'POST', { url: 'https://example.com/hooks' })
    const sent = await internal('POST', '/events', { appId, userId, eventType: 'WIDGET_KYC_INITIATION', data: {} })
    expect((await webhooks(`/deliveries?userId=${userId}`)).json.items).toMatchObject([{ eventId: sent.json.eventId }])
    const browser = createOperatorClient(server)
    await signInOperator(browser, server.demo.operatorToken)
    expect((await browser.get(`/portal/kyc?user=${userId}`)).status).toBe(200)
  })
})
