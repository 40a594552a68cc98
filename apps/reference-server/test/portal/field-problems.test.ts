import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
import { createOperatorClient, createPortalClient, signInOperator, textOf, type PortalClient } from './portal-client.js'

let server: RunningTestServer
let browser: PortalClient
let endpointId: string
beforeAll(async () => {
  server = await startTestServer()
  const url = `${server.demo.apiUrl}/api/v1/webhooks`
  const body = { url: 'https://partner.example.com/x' }
  endpointId = (await server.call(url, { token: server.demo.apps[0]?.apiKey ?? '', body })).json.endpointId
})
afterAll(() => server.stop())
beforeEach(async () => {
  browser = createPortalClient(server)
  await browser.signIn()
})

/** The fields that a page marks as wrong, each with what it says about it and whether typing starts there. */
function wrongFields(html: string) {
  return [...html.matchAll(/<(?:input|textarea) [^>]*aria-invalid="true"[^>]*>/g)].map(([tag]) => {
    const [, id = ''] = / id="([^"]*)"/.exec(tag) ?? []
    const [, described = ''] = / aria-describedby="([^" ]*)/.exec(tag) ?? []
    return [id, textOf(html, described).slice(0, 60), / autofocus/.test(tag)]
  })
}

describe('what is wrong with a form is said at its field', () => {
  it.each([
    ['url', { url: 'http://partner.com' }, 'must start with https'],
    ['headers', { url: 'https://partner.com/x', headers: 'Host: a' }, 'sets one of these headers itself'],
    ['headers', { url: 'https://partner.com/x', headers: 'X-A: 1\nX-A: 2' }, 'header'],
    ['description', { url: 'https://partner.com/x', description: 'd'.repeat(201) }, 'longer than 200'],
  ])('of a URL: %s', async (field, fields, words) => {
    for (const action of ['/portal/webhooks/new', `/portal/webhooks/${endpointId}/change`]) {
      const form = await browser.get(action)
      expect(wrongFields(form.text)).toEqual([])
      const refused = await browser.submit(form, action, fields)
      expect([refused.status, wrongFields(refused.text)]).toEqual([
        400,
        [[field, expect.stringContaining(words), true]],
      ])
    }
  })

  it('of a URL: its event types', async () => {
    const form = await browser.get('/portal/webhooks/new')
    const fields = { url: 'https://partner.com/x', eventTypes: 'TRANSACTION_DECLINED' }
    const refused = await browser.submit(form, '/portal/webhooks/new', fields)
    expect(wrongFields(refused.text)).toEqual([])
    expect(refused.text).toContain('<fieldset aria-describedby="eventTypes-problem types-hint">')
    expect(textOf(refused.text, 'eventTypes-problem')).toContain('This event type does not exist.')
  })

  it.each([
    ['from', { from: 'yesterday', until: '' }, 'in UTC'],
    ['until', { from: '2026-01-01T10:00', until: 'now' }, 'in UTC'],
    ['until', { from: '2026-01-01T10:00', until: '2026-01-01T09:00' }, 'after the begin'],
  ])('of a recovery: %s', async (field, fields, words) => {
    const action = `/portal/webhooks/${endpointId}/recover`
    const refused = await browser.submit(await browser.get(action), action, fields)
    expect(wrongFields(refused.text)).toEqual([[field, expect.stringContaining(words), true]])
  })

  it('of the delivery log: the id', async () => {
    const page = await browser.get('/portal/deliveries?find=abc')
    expect(wrongFields(page.text)).toEqual([['find', expect.stringContaining('This is no id.'), true]])
    expect(wrongFields((await browser.get('/portal/deliveries?cursor=abc')).text)).toEqual([])
  })

  it('of a rotation: the present key', async () => {
    const page = await browser.get('/portal/keys')
    const refused = await browser.submit(page, '/portal/keys/rotate', { apiKey: 'wrong' })
    expect(wrongFields(refused.text)).toEqual([['apiKey', expect.stringContaining('not the API key'), true]])
  })

  it('of the operator’s forms: user and purpose', async () => {
    const [user] = server.demo.users
    const body = { query: submissionDocument, variables: submissionVariables() }
    await server.graphql('secure', body, { token: user?.accessToken ?? null })
    const operator = createOperatorClient(server)
    await signInOperator(operator, server.demo.operatorToken ?? null)
    const page = await operator.get('/portal/kyc?user=abc')
    expect(wrongFields(page.text)).toEqual([['user', expect.stringContaining('as a UUID'), true]])
    const [path = ''] = /\/portal\/kyc\/[\w/-]+/.exec((await operator.get('/portal/kyc')).text) ?? []
    const refused = await operator.submit(await operator.get(path), `${path}/evidence`, { purpose: ' ' })
    expect(wrongFields(refused.text)).toEqual([['purpose', expect.stringContaining('Enter a purpose'), true]])
    // The class that is red and the role that is read out, as at every other field.
    expect(refused.text).toContain('<span class="error" id="purpose-problem" role="alert">')
  })
})

it('an empty list of verifications says so in plain words', async () => {
  const operator = createOperatorClient(server)
  await signInOperator(operator, server.demo.operatorToken ?? null)
  const page = await operator.get('/portal/kyc?before=00000000-0000-4000-8000-000000000000')
  expect(page.text).toContain('<p>No verifications before that.</p>')
})
