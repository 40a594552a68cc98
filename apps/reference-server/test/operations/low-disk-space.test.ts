import { eventExample } from '@kyc-relay/webhooks/events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startReceiver } from '../local-receiver.js'
import { createPortalClient } from '../portal/portal-client.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

// Limits that every real disk is below: nothing has to be filled, and what is measured is a disk.
const neverEnough = { MIN_FREE_DISK_PERCENT: '100', MIN_FREE_DISK_MB: '1000000000' }

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer({ ...neverEnough, EXTERNAL_TOKENIZER: '1' })
})
afterAll(() => server.stop())

const { person: { ssn: _ssn, ...personWithoutSsn } = {}, ...withoutPerson } = submissionVariables() as {
  person?: Record<string, unknown>
}
const lines = (message: string) =>
  server.logLines.filter((line) => line.includes(message)).map((line) => JSON.parse(line))

it('submissions are refused at both doors before anything is written, and checking one goes on', async () => {
  const before = server.files()
  const body = { query: submissionDocument, variables: submissionVariables() }
  const refused = await server.graphql('secure', body)
  expectGraphqlRefusal(refused, 503, 'UNAVAILABLE', 'DISK_SPACE_LOW')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const tokenized = { ...withoutPerson, person: personWithoutSsn }
  expectGraphqlRefusal(
    await server.graphql('api', { query: submissionDocument, variables: tokenized }),
    503,
    'UNAVAILABLE',
    'DISK_SPACE_LOW',
  )
  const after = server.files()
  for (const name of ['kyc.db', 'kyc.db-wal', 'vault.db', 'vault.db-wal']) {
    expect(after.get(name)?.equals(before.get(name) ?? Buffer.alloc(0)), name).toBe(true)
  }
  const validate = submissionDocument
    .replace('postKycVerification', 'validateKycVerification')
    .replace(/status verificationId message/, 'valid')
  const checked = await server.graphql('secure', { query: validate, variables: submissionVariables() })
  expect(checked.json.data).toEqual({ validateKycVerification: { valid: true } })
})

it('events and moves of transactions are refused, and so are test events', async () => {
  const [user] = server.demo.users
  const owner = { appId: user?.appId, userId: user?.userId }
  // The example without what the service fills.
  const filled = ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName', 'status', 'transactionId']
  const payload = Object.fromEntries(
    Object.entries(eventExample('TRANSACTION_CREATE')).filter(
      ([field]) => ![...filled, 'createdAt', 'updatedAt'].includes(field),
    ),
  )
  const post = (path: string, body: unknown) =>
    server.call(`${server.demo.internalUrl}${path}`, { token: server.demo.internalToken, body })
  for (const answer of [
    await post('/internal/v1/events', { ...owner, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 1 } }),
    await post('/internal/v1/transactions', { ...owner, data: payload }),
  ]) {
    expect([answer.status, answer.json.code, answer.json.detail]).toEqual([503, 'UNAVAILABLE', 'DISK_SPACE_LOW'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  }
  const receiver = await startReceiver(server.demo)
  const token = server.demo.apps[0]?.apiKey ?? null
  const webhooks = `${server.demo.apiUrl}/api/v1/webhooks`
  const registered = await server.call(webhooks, { token, body: { url: receiver.url('/disk') } })
  const { endpointId } = registered.json as { endpointId: string }
  const tested = await server.call(`${webhooks}/${endpointId}/test`, { token, body: {} })
  expect([tested.status, tested.json.code, tested.json.detail]).toEqual([503, 'UNAVAILABLE', 'DISK_SPACE_LOW'])
  const browser = createPortalClient(server)
  await browser.signIn()
  const page = `/portal/webhooks/${endpointId}/test`
  const sent = await browser.submit(await browser.get(page), page)
  expect([sent.status, sent.text.includes('Try again in a minute.')]).toEqual([503, true])
  expect(lines('request failed')).toEqual([])
  await receiver.close()
})

it('reading and the portal go on, and readiness tells without refusing work', async () => {
  const viewer = await server.graphql('api', { query: '{ viewer { userId } }' })
  expect([viewer.status, viewer.json.errors]).toEqual([200, undefined])
  expect((await server.call(`${server.demo.apiUrl}/portal/sign-in`)).status).toBe(200)
  const ready = await server.call(`${server.demo.internalUrl}/readyz`)
  expect([ready.status, ready.json.status, ready.json.parts.disk]).toEqual([200, 'ready', 'low'])
})

it('metrics show what is free, the log says it once', async () => {
  const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
  for (const of of ['database', 'vault', 'photos']) {
    const [bytes, ratio] = ['bytes', 'ratio'].map((unit) =>
      Number(new RegExp(`^kyc_relay_disk_free_${unit}\\{of="${of}"\\} (\\S+)$`, 'm').exec(text)?.[1]),
    )
    expect(bytes).toBeGreaterThan(0)
    expect(ratio).toBeGreaterThan(0)
    expect(ratio).toBeLessThan(1)
  }
  expect(text).toMatch(/^kyc_relay_disk_low 1$/m)
  expect(text).toMatch(/^kyc_relay_disk_refusals_total 6$/m)
  expect(lines('disk space is low')).toMatchObject([{ detail: 'database', freeBytes: expect.any(Number) }])
  expect(lines('submission failed')).toEqual([])
})

it('with one limit off everything is taken', async () => {
  const other = await startTestServer({ ...neverEnough, MIN_FREE_DISK_MB: '0' })
  try {
    const taken = await other.graphql('secure', { query: submissionDocument, variables: submissionVariables() })
    expect(taken.json.data.postKycVerification.status).toBe('VERIFIED')
    expect((await other.call(`${other.demo.internalUrl}/readyz`)).json.parts.disk).toBe('ok')
  } finally {
    await other.stop()
  }
})
