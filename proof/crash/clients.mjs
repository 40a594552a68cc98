import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Agent, request } from 'undici'
import { createRandom } from '../random.mjs'
import { plainSubmission, submit } from '../old-and-new/submissions.mjs'

const examplesUrl = new URL('../../packages/webhooks/schema/webhook-event-examples.json', import.meta.url)
const { TRANSACTION_CREATE: example } = JSON.parse(readFileSync(examplesUrl, 'utf8'))
const ofTheGrant = ['userId', 'accountId', 'externalReferenceId', 'appId', 'connectedAppId', 'connectedAppName']
const transactionData = Object.fromEntries(
  Object.entries(example).filter(([name]) => ![...ofTheGrant, 'eventType', 'transactionId'].includes(name)),
)

const weights = {
  submission: 24,
  race: 6,
  replay: 10,
  event: 30,
  eventReplay: 6,
  transaction: 12,
  erasure: 3,
  endpointChange: 3,
  pause: 3,
  recovery: 1,
}
const lanes = 8
const erasedBy = { actor: 'auditor', purpose: 'proof' }
/** On a busy machine many kills in a row may each cut off the same request. */
const longestSilenceMs = 600_000

/** What every answer for one `sourceEventId` has in common: a replacement of an endpoint moves deliveries. */
const lastingAnswer = (json) => ({
  ...json,
  duplicate: undefined,
  deliveries: json.deliveries?.map(({ deliveryId }) => ({ deliveryId })),
})

/**
 * Clients under load, with a ledger of everything the service acknowledged. A client repeats a request, unchanged, until it
 * has an answer that is not retryable. `pickServer` resolves with the `demo.json` of a server that serves. The ledger holds
 * `clock()` of each first answer. Without `setUp` there are no endpoints. A request without an answer after `timeoutMs`
 * counts as failed. Statuses that are `unanswered` mean that a request is sent again.
 */
export function startClients({
  seed,
  pickServer,
  demo,
  receiver,
  until,
  clock = () => 0,
  setUp = true,
  timeoutMs = 60_000,
  unanswered = [503, 429],
}) {
  const agent = new Agent({ connect: { ca: readFileSync(demo.caFile) }, connections: 32, headersTimeout: timeoutMs })
  const [app] = demo.apps
  const users = demo.users.filter((user) => user.appId === app.appId && user.scopes.includes('VERIFY_KYC'))
  const violations = []
  const ledger = {
    submissions: new Map(),
    events: new Map(),
    transactions: new Map(),
    erased: new Set(),
    fixedEndpoints: [],
    endpoints: new Map(),
    recoveries: 0,
    answers: 0,
    repeats: 0,
  }

  async function call({ on, method, path, token, body }) {
    const answer = await request(`${on}${path}`, {
      dispatcher: agent,
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, json: text === '' ? null : JSON.parse(text) }
  }

  /** Sends until there is an answer. */
  async function insist(requestFor) {
    const sinceMs = performance.now()
    for (let tries = 1; ; tries += 1) {
      const server = await pickServer()
      const answer = await call(requestFor(server)).catch(() => null)
      const isAnswered = answer !== null && !unanswered.includes(answer.status)
      if (isAnswered) {
        if (answer.status >= 500) violations.push(`a client got ${answer.status}`)
        ledger.answers += 1
        if (tries > 1) ledger.repeats += 1
        return answer
      }
      if (performance.now() - sinceMs > longestSilenceMs) throw new Error('no answer in ten minutes')
      await sleep(20)
    }
  }

  const rest =
    (method, path, body) =>
    ({ apiUrl }) => ({
      on: apiUrl,
      method,
      path: `/api/v1/webhooks${path}`,
      token: app.apiKey,
      body,
    })
  const internal =
    (method, path, body) =>
    ({ internalUrl, internalToken }) => ({
      on: internalUrl,
      method,
      path: `/internal/v1${path}`,
      token: internalToken,
      body,
    })
  const submission =
    (user, variables) =>
    ({ secureUrl }) => ({
      on: secureUrl,
      method: 'POST',
      path: '/api/v1/graphql',
      token: user.accessToken,
      body: { query: submit, variables },
    })

  /** Adds an answer to the ledger; a second answer for the same key must be equal. */
  function acknowledge(book, key, what, answer, more) {
    const known = book.get(key)
    if (known === undefined) book.set(key, { answer, at: clock(), ...more })
    else if (!isDeepStrictEqual(known.answer, answer))
      violations.push(`${what} ${key} was answered in two ways: ${JSON.stringify([known.answer, answer])}`)
  }

  async function postSubmission(user, variables) {
    const { status, json } = await insist(submission(user, variables))
    const answer = json?.data?.postKycVerification
    if (status !== 200 || answer == null) return void violations.push(`a good submission got ${status}`)
    acknowledge(ledger.submissions, variables.externalVerificationId, 'submission', answer, { user, variables })
  }

  async function postEvent(event) {
    const { status, json } = await insist(internal('POST', '/events', event))
    if (status !== 202) return void violations.push(`a good event got ${status}`)
    const answer = lastingAnswer(json)
    acknowledge(ledger.events, event.sourceEventId, 'event', answer, { event })
  }

  async function postTransaction(method, path, body) {
    const { status, json } = await insist(internal(method, `/transactions${path}`, body))
    if (status >= 300) return void violations.push(`a good move of a transaction got ${status}`)
    const answer = lastingAnswer(json)
    acknowledge(ledger.transactions, body.sourceEventId, 'move', answer, {})
  }

  async function register(path) {
    const { json } = await insist(rest('POST', '', { url: receiver.url(path) }))
    return json.id
  }

  async function runLane(number) {
    const random = createRandom(seed, `lane${number}`)
    let made = 0
    const fresh = (what) => `${what}-${seed}-${number}-${(made += 1)}`
    const mine = { submissions: [], events: [] }
    let endpoint = null

    const doings = {
      async submission() {
        const user = random.pick(users)
        const variables = plainSubmission(random, fresh('attempt'))
        mine.submissions.push({ user, variables })
        await postSubmission(user, variables)
      },
      async race() {
        const user = random.pick(users)
        const variables = plainSubmission(random, fresh('race'))
        await Promise.all([1, 2, 3].map(() => postSubmission(user, variables)))
      },
      async replay() {
        if (mine.submissions.length === 0) return
        const { user, variables } = random.pick(mine.submissions)
        await postSubmission(user, variables)
      },
      async event() {
        const data = { amount: (1 + random.whole(100_000)) / 100 }
        const event = {
          appId: app.appId,
          userId: random.pick(users).userId,
          eventType: 'WIDGET_DEPOSIT_COMPLETE',
          data,
        }
        mine.events.push({ ...event, sourceEventId: fresh('source') })
        await postEvent(mine.events.at(-1))
      },
      async eventReplay() {
        if (mine.events.length > 0) await postEvent(random.pick(mine.events))
      },
      async transaction() {
        const transactionId = random.uuid()
        const owner = { appId: app.appId, userId: random.pick(users).userId }
        const data = { ...transactionData, transactionId }
        await postTransaction('POST', '', { ...owner, transactionId, data, sourceEventId: fresh('create') })
        const change = { status: 'SETTLED', data: { updatedAt: '2026-03-02T15:05:00.000Z' } }
        await postTransaction('PATCH', `/${transactionId}`, { ...change, sourceEventId: fresh('settle') })
      },
      async erasure() {
        const userId = random.uuid()
        const account = { accountId: random.uuid(), externalReferenceId: fresh('customer') }
        const scopes = ['VERIFY_KYC', 'MAKE_PAYOUT_SEND', 'MAKE_PAYOUT_RECEIVE', 'LIST_PAYMENT', 'LIST_PURCHASES']
        await insist(internal('PUT', `/grants/${app.appId}/${userId}`, { ...account, scopes }))
        const { json } = await insist(internal('POST', '/access-tokens', { appId: app.appId, userId, scopes }))
        await postSubmission({ userId, accessToken: json.accessToken }, plainSubmission(random, fresh('erased')))
        const { status } = await insist(internal('DELETE', `/users/${userId}/pii`, erasedBy))
        if (status === 200) ledger.erased.add(userId)
        else violations.push(`an erasure got ${status}`)
      },
      async endpointChange() {
        const path = `${fresh('endpoint')}/good`
        if (endpoint === null) {
          endpoint = await register(path)
          ledger.endpoints.set(endpoint, 'there')
        } else if (random.chance(0.5)) {
          const { status, json } = await insist(rest('POST', `/${endpoint}/replace`, { url: receiver.url(path) }))
          ledger.endpoints.set(endpoint, 'removed')
          // A replacement whose answer was lost in a kill: the old endpoint is gone, the new one has an unknown id.
          endpoint = status === 201 ? json.id : null
          if (endpoint !== null) ledger.endpoints.set(endpoint, 'there')
        } else {
          await insist(rest('DELETE', `/${endpoint}`))
          ledger.endpoints.set(endpoint, 'removed')
          endpoint = null
        }
      },
      async pause() {
        if (endpoint === null) return
        await insist(rest('POST', `/${endpoint}/pause`))
        await insist(rest('POST', `/${endpoint}/resume`))
      },
      async recovery() {
        const since = new Date(Date.now() - 60_000).toISOString()
        const { status } = await insist(rest('POST', `/${random.pick(ledger.fixedEndpoints)}/recover`, { since }))
        if (status === 202) ledger.recoveries += 1
      },
    }
    while (!until()) await doings[random.weighted(weights)]()
  }

  async function run() {
    if (!setUp) return
    for (const path of ['a/good', 'b/slow', 'c/fails-once']) ledger.fixedEndpoints.push(await register(path))
    await Promise.all(Array.from({ length: lanes }, (_, number) => runLane(number)))
  }
  return {
    app,
    ledger,
    violations,
    insist,
    internal,
    rest,
    postSubmission,
    /** A request to pause that came late must not hold deliveries back. */
    async resumeAll() {
      const { json } = await insist(rest('GET', ''))
      for (const { id } of json.items) await insist(rest('POST', `/${id}/resume`))
    },
    finished: run(),
    close: () => agent.destroy(),
  }
}
