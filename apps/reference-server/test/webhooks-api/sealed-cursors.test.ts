import { createKeyFile, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCursorSeal } from '../../src/storage/sealed-cursors.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer({ ALLOW_LOOPBACK_RECEIVERS: '1' })
})
afterAll(() => server.stop())

const api = (path: string, body?: object) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: server.demo.apps[0]!.apiKey, body })
const user = () => server.demo.users[0]!
const verifications = async (after: string | null) => {
  const query =
    'query ($after: String) { kycVerifications(first: 1, after: $after) { nodes { verificationId } pageInfo { endCursor } } }'
  const body = { query, variables: { after } }
  const { json } = await server.call(`${server.demo.apiUrl}/api/v1/graphql`, { token: user().accessToken, body })
  return json.data?.kycVerifications ?? null
}

/** The cursors of each list that partners read. */
async function cursors(): Promise<readonly string[]> {
  const [feed, log, read] = await Promise.all([api('/events'), api('/deliveries?limit=1'), verifications(null)])
  return [feed.json.nextCursor, log.json.nextCursor, read.pageInfo.endCursor] as string[]
}

describe('cursors for partners', () => {
  it('do not tell how much other apps do, and lead to the next page', async () => {
    await api('', { url: 'https://localhost:9443/hook' })
    const { appId, userId } = user()
    for (const externalVerificationId of ['one', 'two']) {
      const event = { appId, userId, eventType: 'WIDGET_KYC_INITIATION', data: {} }
      const { internalUrl, internalToken, secureUrl } = server.demo
      await server.call(`${internalUrl}/internal/v1/events`, { token: internalToken, body: event })
      const variables = submissionVariables({ externalVerificationId })
      const submission = { query: submissionDocument, variables }
      await server.call(`${secureUrl}/api/v1/graphql`, { token: user().accessToken, body: submission })
    }
    const found = await cursors()
    for (const cursor of found) {
      // In clear, base64 holds a readable text. Sealed bytes may begin like one, but are never all readable.
      expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/^[ -~]*$/)
    }
    // Those who poll compare cursors.
    expect(await cursors()).toEqual(found)
    const [feed, log, read] = found
    expect((await api(`/events?after=${feed}`)).json.items).toEqual([])
    const [second] = (await api(`/deliveries?limit=1&cursor=${log}`)).json.items as { eventId: string }[]
    expect([second?.eventId]).toEqual([((await api('/events')).json.items as { eventId: string }[])[0]?.eventId])
    const pages = [await verifications(null), await verifications(read!)]
    expect(new Set(pages.map(({ nodes }) => nodes[0].verificationId)).size).toBe(2)
  })

  it('are refused in clear, so that nobody finds the end by trying positions', async () => {
    const appId = server.demo.apps[0]!.appId
    const clear = (text: string) => Buffer.from(text).toString('base64url')
    expect((await api(`/events?after=${clear(`f0.1.${appId}`)}`)).json).toMatchObject({ code: 'CURSOR_INVALID' })
    const log = await api(`/deliveries?cursor=${clear(`t${Date.now()}p1.${appId}`)}`)
    expect(log.json.violations).toMatchObject([{ code: 'CURSOR_INVALID' }])
    expect(await verifications(clear('p1'))).toBeNull()
  })
})

describe('the seal', () => {
  const source = { randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)), now: new Date() }
  const seal = createCursorSeal(parseKeyFile(createKeyFile(source)))

  it('opens what it sealed, and makes another text empty', () => {
    const sealed = seal.seal('p1')
    expect(seal.open(sealed)).toBe('p1')
    const other = createCursorSeal(parseKeyFile(createKeyFile(source)))
    const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
    for (const text of ['', 'p1', `${sealed}=`, ` ${sealed}`, sealed.slice(1), changed, other.seal('p1')])
      expect([text, seal.open(text)]).toEqual([text, ''])
  })
})
