import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import {
  createOperatorClient,
  createPortalClient,
  hiddenFields,
  signInOperator,
  type PortalClient,
} from '../portal/portal-client.js'
import type { Answer, CallOptions } from '../running-server.js'
import { startServerProcess, type ServerProcess } from './server-process.js'

/*
 * One browser, and a balancer that sends every request to another process: what the portal remembers must not depend on
 * who answers.
 */

const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-portal-'))
const agent = new Agent()
const servers: ServerProcess[] = []
let postgres: PostgresServer

beforeAll(async () => {
  postgres = await startPostgres()
  const databaseUrl = await postgres.createDatabase()
  for (let number = 0; number < 2; number += 1)
    servers.push(await startServerProcess(dataDir, { DATABASE_URL: databaseUrl }))
})

afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGKILL')))
  await agent.close()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await request(url, {
    dispatcher: agent,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
    body: typeof options.body === 'string' ? options.body : null,
  })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text(), json: undefined }
}

/** One browser as each of the two processes sees it. */
function openBrowser(
  create: (server: { demo: ServerProcess['demo']; call: typeof call }, cookies: Map<string, string>) => PortalClient = (
    server,
    cookies,
  ) => createPortalClient(server, cookies),
): readonly [PortalClient, PortalClient] {
  const cookies = new Map<string, string>()
  const [one, two] = servers.map(({ demo }) => create({ demo, call }, cookies))
  if (one === undefined || two === undefined) throw new Error('two processes are needed')
  return [one, two]
}

const app = () => {
  const found = servers[0]?.demo.apps[0]
  if (found === undefined) throw new Error('the demo has apps')
  return found
}

describe('two processes of the portal are one', () => {
  it('in signing in, page by page, and in signing out', async () => {
    const [one, two] = openBrowser()
    const form = await one.get('/portal/sign-in')
    const signedIn = await two.submit(form, '/portal/sign-in', { app: app().name, apiKey: app().apiKey })
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/portal'])
    expect((await one.get('/portal/webhooks')).status).toBe(200)
    const page = await two.get('/portal/webhooks')
    expect([page.status, page.text.includes(app().name)]).toEqual([200, true])
    const cookie = one.cookies.get('kyc_relay_portal') ?? ''

    const out = await one.submit(page, '/portal/sign-out')
    expect(out.status).toBe(303)
    for (const browser of [two, one]) {
      browser.cookies.set('kyc_relay_portal', cookie)
      expect((await browser.get('/portal/webhooks')).status).toBe(401)
    }
  })

  it('in what is said once, and in sending exactly what was shown, once', async () => {
    const [one, two] = openBrowser()
    await one.signIn(app())
    const added = await two.submit(await one.get('/portal/webhooks/new'), '/portal/webhooks/new', {
      url: 'https://partner.com/hook',
    })
    expect(added.status).toBe(303)
    const said = 'The URL was added.'
    expect((await one.follow(added)).text).toContain(said)
    expect((await two.follow(added)).text).not.toContain(said)

    const test = /\/portal\/webhooks\/[0-9a-f-]{36}\/test/.exec((await two.get('/portal/webhooks')).text)?.[0] ?? ''
    const shown = await one.get(test)
    const sent = await two.submit(shown, test)
    expect(sent.headers.location).toMatch(/^\/portal\/deliveries\/[0-9a-f-]{36}$/)
    const eventId = /X-Event-ID[^0-9a-f]*([0-9a-f-]{36})/i.exec(shown.text.replaceAll(/<[^>]+>/g, ' '))?.[1] ?? 'none'
    expect((await one.follow(sent)).text).toContain(eventId)
    const again = await one.submit(shown, test)
    expect(again.headers.location).toBe(test)
    expect((await two.follow(again)).text).toContain('That request was sent already')
  })

  it('in the operator’s session', async () => {
    const [one, two] = openBrowser(createOperatorClient)
    await signInOperator(one, servers[0]?.demo.operatorToken ?? null)
    expect((await two.get('/portal/kyc')).status).toBe(200)
    expect((await one.get('/portal/webhooks')).status).toBe(404)
  })

  it('in ending the other sessions of an app when its new key is activated', async () => {
    const [one, two] = openBrowser()
    const [, colleague] = openBrowser()
    const [, operator] = openBrowser(createOperatorClient)
    await one.signIn(app())
    await colleague.signIn(app())
    await signInOperator(operator, servers[0]?.demo.operatorToken ?? null)
    const keys = await one.get('/portal/keys')
    expect((await two.submit(keys, '/portal/keys/rotate', { apiKey: app().apiKey })).status).toBe(200)
    expect((await colleague.get('/portal/webhooks')).status).toBe(200)
    const { csrf = '' } = hiddenFields(keys.text, '/portal/sign-out')
    expect((await one.post('/portal/keys/activate', { csrf, confirm: 'yes' })).status).toBe(303)
    expect((await colleague.get('/portal/webhooks')).status).toBe(401)
    expect((await two.get('/portal/webhooks')).status).toBe(200)
    expect((await operator.get('/portal/kyc')).status).toBe(200)
  })

  it('for who was signed in by one that died', async () => {
    const [one, two] = openBrowser()
    await one.signIn(app())
    await servers[0]?.end('SIGKILL')
    expect((await two.get('/portal/webhooks')).status).toBe(200)
  })
})
