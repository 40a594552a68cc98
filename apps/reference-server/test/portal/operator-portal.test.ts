import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { writeOperatorsFile } from '../operator-api/operators-file.js'
import { samplePhoto } from '../photos/photo-samples.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
import { createOperatorClient, createPortalClient, hiddenFields, signInOperator } from './portal-client.js'

const file = writeOperatorsFile({ Ada: ['read', 'evidence'], Ben: ['read'], Eve: ['evidence', 'reveal', 'keys'] })
afterAll(() => file.remove())

let server: RunningTestServer
let host: LocalReceiver
beforeAll(async () => {
  server = await startTestServer({ OPERATORS_FILE: file.path, EVIDENCE_REQUESTS_PER_MINUTE: '1000' })
  host = await startReceiver(server.demo)
})
afterAll(async () => {
  await host.close()
  await server.stop()
})

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no demo user')
  return found
}

async function submit(index: number) {
  host.answer('/front', { status: 200, body: samplePhoto('portal') })
  const verifications = {
    ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' },
    document: {
      verificationId: 'doc-1',
      status: 'PASSED',
      documentClass: 'PASSPORT',
      documentNumber: 'X9Y8Z7W6',
      issuingCountryCode: 'US',
      photos: { front: host.url('/front') },
      checks: [{ name: 'document_expired', status: 'FAILED', reasons: ['CANARY <b>expired</b>'] }],
    },
  }
  const variables = submissionVariables({ verifications, decisionReason: 'CANARY reason' })
  const answer = await server.graphql(
    'secure',
    { query: submissionDocument, variables },
    { token: user(index).accessToken },
  )
  const { verificationId } = answer.json.data.postKycVerification as { verificationId: string }
  const { appId, userId } = user(index)
  return { verificationId, path: `/portal/kyc/${appId}/${userId}/${verificationId}` }
}

async function signedIn(name: 'Ada' | 'Ben' | 'Eve') {
  const browser = createOperatorClient(server)
  expect((await signInOperator(browser, file.tokens[name])).headers.location).toBe('/portal')
  return browser
}

/** Looks at sealed records, as the vault has recorded them. */
function looks() {
  const vault = new Database(join(server.dataDir, 'vault.db'), { readonly: true })
  try {
    return vault
      .prepare(
        `SELECT actor, purpose, record_id, part FROM kyc_relay_vault_audit
      WHERE actor <> 'photo worker' ORDER BY position`,
      )
      .all()
  } finally {
    vault.close()
  }
}

describe('the portal of operators', () => {
  it('is on the internal listener alone, under cookies of its own', async () => {
    const browser = await signedIn('Ada')
    expect([...browser.cookies.keys()]).toEqual(['kyc_relay_operator'])
    expect((await browser.get('/portal/kyc')).status).toBe(200)
    expect((await browser.get('/portal/')).headers.location).toBe('/portal')
    const outside = createPortalClient(server, browser.cookies)
    for (const path of ['/portal/kyc', '/portal/sign-in/operator', (await submit(0)).path]) {
      const answer = await outside.get(path)
      expect([path, answer.status]).toEqual([path, 404])
    }
    browser.cookies.set('kyc_relay_portal', browser.cookies.get('kyc_relay_operator') ?? '')
    expect((await outside.get('/portal/webhooks')).status).toBe(401)
    expect((await outside.get('/portal/sign-in')).text).not.toMatch(/operator/i)
  })

  it('does not let an app in, nor the token of services, nor another page’s form', async () => {
    const app = createPortalClient(server)
    await app.signIn()
    const browser = createOperatorClient(server)
    browser.cookies.set('kyc_relay_operator', app.cookies.get('kyc_relay_portal') ?? '')
    expect((await browser.get('/portal/kyc')).status).toBe(401)
    for (const token of [server.demo.internalToken, server.demo.apps[0]?.apiKey ?? '', 'kyc_op_CANARY', '']) {
      const refused = await signInOperator(browser, token)
      expect([refused.status, refused.text.includes('CANARY')]).toEqual([401, false])
    }
    const fields = { csrf: 'x', operatorToken: file.tokens.Ada }
    expect((await browser.post('/portal/sign-in', fields)).status).toBe(403)
    const log = server.logLines.join('')
    expect(log).toMatch(/"listener":"internal","reason":"OPERATOR_SIGN_IN_REFUSED"/)
    expect(log).not.toMatch(/CANARY|kyc_op_/)
  })

  it('shows pages by right', async () => {
    const { path } = await submit(0)
    const ben = await signedIn('Ben')
    const page = await ben.get(path)
    expect(page.text).toContain('needs the right <code>evidence</code>')
    expect(page.text).not.toContain('name="purpose"')
    const csrf = hiddenFields(page.text, '/portal/sign-out').csrf ?? ''
    const fields = { csrf, purpose: 'curious', side: 'front' }
    for (const form of ['/evidence', '/photo']) expect((await ben.post(`${path}${form}`, fields)).status).toBe(403)
    const eve = await signedIn('Eve')
    for (const of of ['/portal/kyc', path]) expect((await eve.get(of)).status).toBe(403)
    expect(looks()).toEqual([])
  })

  it('shows all verifications of a user, 50 on a page', async () => {
    const { appId, userId, accessToken } = user(4)
    for (let count = 0; count < 51; count += 1) {
      const body = { query: submissionDocument, variables: submissionVariables() }
      await server.graphql('secure', body, { token: accessToken })
    }
    const browser = await signedIn('Ben')
    const rows = (html: string) => html.match(/<th scope="row"/g)?.length
    const newest = await browser.get(`/portal/kyc?user=${userId}`)
    expect([rows(newest.text), newest.text.includes('>Newest<')]).toEqual([50, false])
    const [, older = ''] = /href="([^"#]+)#[^"#]*" rel="next"/.exec(newest.text) ?? []
    const rest = await browser.get(older.replaceAll('&amp;', '&'))
    expect([rows(rest.text), rest.text.includes('>Newest<')]).toEqual([1, true])
    expect(rest.text).not.toContain('rel="next"')
    expect((await browser.get(`/portal/kyc?user=${userId}&app=${appId}&cursor=x`)).status).toBe(404)
  })

  it('records who signed in', async () => {
    await signedIn('Ada')
    const entries = await server.call(`${server.demo.internalUrl}/internal/v1/audit-entries?log=stores`, {
      token: server.demo.internalToken,
    })
    expect(entries.text).toContain('"operator:Ada"')
  })
})

describe('the page of a sealed record', () => {
  it('asks for the purpose, records it first, then shows the record with the SSN masked', async () => {
    const { path, verificationId } = await submit(1)
    const browser = await signedIn('Ada')
    const page = await browser.get(path)
    expect(page.text).not.toMatch(/CANARY|Jane/)
    for (const purpose of ['', '   ', 'x'.repeat(201), 'two\nlines']) {
      const refused = await browser.submit(page, `${path}/evidence`, { purpose })
      expect([refused.status, /Enter a purpose/.test(refused.text)]).toEqual([400, true])
      expect(refused.text).not.toMatch(/CANARY|Jane/)
    }
    const before = looks().length
    const opened = await browser.submit(page, `${path}/evidence`, { purpose: 'examination 7' })
    expect([opened.status, opened.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(opened.text).toContain('***-**-1120')
    expect(opened.text).toMatch(/Jane.*CANARY &lt;b&gt;expired/s)
    expect(opened.text).toContain('CANARY reason')
    expect(opened.text).not.toMatch(/078-05-1120|078051120|X9Y8Z7W6|tok_/)
    const look = { actor: 'operator:Ada', purpose: 'examination 7', record_id: verificationId, part: 'details' }
    expect(looks().slice(before)).toEqual([look])

    await expect.poll(async () => (await browser.get(path)).text).toContain('Stored')
    const again = await browser.submit(page, `${path}/evidence`, { purpose: 'examination 7' })
    const photo = await browser.submit(again, `${path}/photo`, { side: 'front' })
    expect(photo.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(looks().at(-1)).toEqual({ ...look, part: 'photo_front_image' })
    for (const [fields, status] of [
      [{ side: 'front', purpose: '' }, 400],
      [{ side: 'left' }, 404],
      [{ side: 'back' }, 404],
      [{ side: 'front', csrf: 'x' }, 403],
    ] as const)
      expect([fields, (await browser.submit(again, `${path}/photo`, fields)).status]).toEqual([fields, status])
    expect(server.logLines.join('')).not.toMatch(/CANARY|examination 7/)
  })

  it('opens nothing where the look cannot be recorded', async () => {
    const { path } = await submit(1)
    const browser = await signedIn('Ada')
    const page = await browser.get(path)
    const vault = new Database(join(server.dataDir, 'vault.db'))
    try {
      vault.exec('ALTER TABLE kyc_relay_vault_audit RENAME TO audit_away')
      const failed = await browser.submit(page, `${path}/evidence`, { purpose: 'p' })
      expect([failed.status, /CANARY|Jane/.test(failed.text)]).toEqual([503, false])
    } finally {
      vault.exec('ALTER TABLE audit_away RENAME TO kyc_relay_vault_audit')
      vault.close()
    }
  })

  it('is 404 for a verification of another user, and answers nothing to a session that ended', async () => {
    const { path } = await submit(1)
    const browser = await signedIn('Ada')
    const page = await browser.get(path)
    const fields = { ...hiddenFields(page.text, `${path}/evidence`), purpose: 'p' }
    const elsewhere = path.replace(user(1).userId, user(2).userId)
    expect((await browser.post(`${elsewhere}/evidence`, fields)).status).toBe(404)
    browser.cookies.delete('kyc_relay_operator')
    const ended = await browser.post(`${path}/evidence`, fields)
    expect([ended.status, ended.text.includes('Jane')]).toEqual([401, false])
    const signedInAgain = await browser.submit(ended, '/portal/sign-in', { operatorToken: file.tokens.Ada })
    expect(signedInAgain.headers.location).toBe(path)
  })

  it('of an erased user says 410, and shows what stays', async () => {
    const { path } = await submit(3)
    const browser = await signedIn('Ada')
    const page = await browser.get(path)
    const url = `${server.demo.internalUrl}/internal/v1/users/${user(3).userId}/pii`
    await server.call(url, { method: 'DELETE', token: server.demo.internalToken, body: { purpose: 'asked' } })
    const gone = await browser.submit(page, `${path}/evidence`, { purpose: 'examination 8' })
    expect([gone.status, gone.headers['cache-control']]).toEqual([410, 'no-store'])
    expect(gone.text).toMatch(/was erased.*VERIFIED.*document_expired/s)
    expect(gone.text).not.toMatch(/CANARY|Jane|name="purpose"/)
    const fields = { ...hiddenFields(page.text, `${path}/evidence`), purpose: 'p', side: 'front' }
    expect((await browser.post(`${path}/photo`, fields)).status).toBe(410)
    // The token of the SSN is gone, and the page of the verification cannot know that there was one.
    expect((await browser.get(path)).text).toContain('erased, or not given')
  })
})

it('limits how often one operator looks on both ways together', async () => {
  const limited = await startTestServer({ OPERATORS_FILE: file.path, EVIDENCE_REQUESTS_PER_MINUTE: '2' })
  try {
    const [{ appId, userId, accessToken } = user(0)] = limited.demo.users
    const variables = submissionVariables({})
    const made = await limited.graphql('secure', { query: submissionDocument, variables }, { token: accessToken })
    const { verificationId } = made.json.data.postKycVerification as { verificationId: string }
    const path = `/portal/kyc/${appId}/${userId}/${verificationId}`
    const browser = createOperatorClient(limited)
    await signInOperator(browser, file.tokens.Ada)
    const page = await browser.get(path)
    const api = `${limited.demo.internalUrl}/internal/v1/verifications/${verificationId}/evidence`
    const look = () => browser.submit(page, `${path}/evidence`, { purpose: 'p' })
    expect((await limited.call(api, { body: { purpose: 'p' }, token: file.tokens.Ada })).status).toBe(200)
    expect((await look()).status).toBe(200)
    const refused = await look()
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect(refused.text).not.toMatch(/Jane/)
  } finally {
    await limited.stop()
  }
})
