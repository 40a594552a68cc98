import { eventTypes } from '@kyc-relay/webhooks'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { publishStatusChanges } from '../../src/events/publish-status-changes.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
const received: { readonly path: string; readonly event: Record<string, unknown> }[] = []
beforeAll(async () => {
  server = await startTestServer({ KYC_STATUS_EVENTS: '1' })
  receiver = await startReceiver(server.demo)
  for (const path of ['/named', '/all', '/second']) {
    receiver.answerBy(path, ({ body }) => {
      received.push({ path, event: JSON.parse(body.toString()) as Record<string, unknown> })
      return { status: 200 }
    })
  }
  await register(0, { url: receiver.url('/named'), eventTypes: ['KYC_STATUS_CHANGED'] })
  await register(0, { url: receiver.url('/all') })
  await register(1, { url: receiver.url('/second'), eventTypes: ['KYC_STATUS_CHANGED'] })
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

const register = (app: number, body: object) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: server.demo.apps[app]!.apiKey, body })
const user = (index: number) => server.demo.users[index]!
const submit = async (index: number, variables: Record<string, unknown>) => {
  const query = { query: submissionDocument, variables }
  const { json } = await server.graphql('secure', query, { token: user(index).accessToken })
  return json.data.postKycVerification as { status: string; verificationId: string }
}

it('tells each change once, to every app of the user with an endpoint that names the type', async () => {
  const { internalUrl, internalToken, apps } = server.demo
  const { accountId: account, externalReferenceId: reference, scopes } = user(0)
  const granted = await server.call(`${internalUrl}/internal/v1/grants/${apps[1]!.appId}/${user(0).userId}`, {
    method: 'PUT',
    token: internalToken,
    body: { accountId: account, externalReferenceId: reference, scopes },
  })
  expect(granted.status).toBeLessThan(300)
  const variables = submissionVariables()
  const first = await submit(0, variables)
  expect(first.status).toBe('VERIFIED')
  await submit(0, variables)
  expect((await submit(0, submissionVariables())).status).toBe('ALREADY_VERIFIED')
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(2)
  const { userId, accountId, externalReferenceId, appId } = user(0)
  const changed = {
    eventType: 'KYC_STATUS_CHANGED',
    userId,
    accountId,
    externalReferenceId,
    appId,
    previous: 'UNVERIFIED',
    next: 'PASS',
    changedAt: expect.stringMatching(/Z$/) as string,
    source: 'SUBMISSION',
    verificationId: first.verificationId,
  }
  const own = received.find(({ path }) => path === '/named')
  expect(own?.event).toEqual(changed)
  const other = received.find(({ path }) => path === '/second')
  expect(other?.event).toEqual({ ...changed, appId: apps[1]!.appId, verificationId: null })
  expect(other?.event).not.toHaveProperty('amount')
  // The next change shows that nothing else came for the first one.
  await submit(1, submissionVariables())
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(3)
  expect(received.map(({ path }) => path).sort()).toEqual(['/named', '/named', '/second'])
})

it('is left out of the feed unless it is asked for', async () => {
  const read = async (query: string) =>
    (await server.call(`${server.demo.apiUrl}/api/v1/webhooks/events${query}`, { token: server.demo.apps[0]!.apiKey }))
      .json.items as unknown[]
  expect(await read('')).toEqual([])
  expect(await read('?types=KYC_STATUS_CHANGED')).toHaveLength(2)
})

it('publishes under the same id after a crash in between', async () => {
  const change = {
    userId: user(2).userId,
    appId: user(2).appId,
    verificationId: '00000000-0000-7000-8000-000000000001',
    ...({ changeId: '00000000-0000-7000-8000-000000000001', source: 'SUBMISSION' } as const),
    ...({ previous: 'UNVERIFIED', next: 'PASS', changedAt: new Date() } as const),
  }
  const ids: unknown[] = []
  let marked = 0
  const step = () =>
    publishStatusChanges({
      outbox: {
        listUnpublished: () => Promise.resolve([change]),
        markPublished: () => ((marked += 1) === 1 ? Promise.reject(new Error('crash')) : Promise.resolve()),
      },
      users: { listAppsOfUser: () => Promise.resolve([change.appId]) },
      webhooks: { listEndpoints: () => Promise.resolve([{ eventTypes: ['KYC_STATUS_CHANGED'] } as never]) },
      publish: ({ sourceEventId }) => Promise.resolve(void ids.push(sourceEventId) as never),
    })
  await expect(step()).rejects.toThrow('crash')
  expect(await step()).toBe(1)
  expect(ids).toEqual([`kyc-status-${change.verificationId}`, `kyc-status-${change.verificationId}`])
})

it('publishes the changes of other users when those of one fail', async () => {
  const changes = [2, 2, 3].map((index, n) => ({
    userId: user(index).userId,
    appId: user(index).appId,
    verificationId: null,
    ...({ changeId: `00000000-0000-7000-8000-00000000000${n}`, source: 'OPERATOR' } as const),
    ...({ previous: 'PASS', next: 'UNVERIFIED', changedAt: new Date() } as const),
  }))
  const published: unknown[] = []
  const step = publishStatusChanges({
    outbox: {
      listUnpublished: () => Promise.resolve(changes),
      markPublished: ({ changeId }) => Promise.resolve(void published.push(changeId)),
    },
    users: { listAppsOfUser: (userId) => Promise.resolve(userId === user(2).userId ? [user(2).appId] : []) },
    webhooks: { listEndpoints: () => Promise.reject(new Error('sample failure')) },
    publish: () => Promise.reject(new Error('not reached')),
  })
  await expect(step).rejects.toThrow('sample failure')
  expect(published).toEqual([changes[2]!.changeId])
})

it('cannot be subscribed to where the operator has not turned it on', async () => {
  const off = await startTestServer()
  onTestFinished(() => off.stop())
  const { apiUrl, apps } = off.demo
  const url = `${apiUrl}/api/v1/webhooks`
  const register = (...types: string[]) => {
    const body = { url: 'https://partner.com/hooks', eventTypes: types }
    return off.call(url, { token: apps[0]!.apiKey, body })
  }
  const message = `Not an allowed value. Allowed: ${eventTypes.join(', ')}.`
  const violations = [{ pointer: '/eventTypes/1', code: 'ENUM', message }]
  const turnedOff = await register('TRANSACTION_CREATE', 'KYC_STATUS_CHANGED')
  expect(turnedOff.json).toMatchObject({ status: 400, detail: 'EVENT_TYPE_NOT_OFFERED', violations })
  const unknown = await register('TRANSACTION_CREATE', 'ORDER_LOST')
  expect(unknown.json).toMatchObject({ status: 400, detail: 'BODY_INVALID', violations })
})
