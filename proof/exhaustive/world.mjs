import { recoverEvents, reportOfCause } from '@kyc-relay/webhooks/delivery'
import { createMemoryWebhookData } from '@kyc-relay/webhooks/testing'
import { attemptResultOf, xEventIdOf } from '../../packages/webhooks/test/for-proof.ts'
import { recoveryStoreOf, webhookStoreOf } from './broken-stores.mjs'
import { violations } from './invariants.mjs'

const appId = 'app'
const userId = 'user'
const ok = { ...reportOfCause('HTTP_STATUS'), cause: null, status: 200 }
const refused = { ...reportOfCause('HTTP_STATUS'), status: 500 }
const interrupted = reportOfCause('INTERRUPTED')

// Of an instant only one thing counts: whether a retry is due, or a lease has ended. That happens at any moment and in any
// order, so there are more futures here than a clock allows.
const now = 1
const later = 2
const leaseMs = later - now

/** Copies what the stores change, without what no promise is about. Events and lineages are only added to. */
function copyOf(data) {
  const deliveries = new Map()
  for (const [id, delivery] of data.deliveries) {
    const open = delivery.open === null ? null : { ...delivery.open }
    deliveries.set(id, { ...delivery, open, attempts: open === null ? [] : [open] })
  }
  const pending = new Map([...data.pending.keys()].map((id) => [id, deliveries.get(id)]))
  const endpoints = new Map([...data.endpoints].map(([id, stored]) => [id, { ...stored }]))
  const recoveries = new Map([...data.recoveries].map(([id, stored]) => [id, { ...stored }]))
  const ofNoInterest = { hours: new Map(), listeners: new Set() }
  return { ...data, deliveries, pending, endpoints, recoveries, lineages: new Map(data.lineages), ...ofNoInterest }
}

/** Brings every instant to one of two: now, or later. */
function forgetInstants({ deliveries, endpoints }) {
  for (const delivery of deliveries.values()) {
    delivery.dueAtMs = delivery.dueAtMs > now ? later : now
    if (delivery.open !== null) delivery.open.leaseEndsAtMs = delivery.open.leaseEndsAtMs > now ? later : now
  }
  for (const stored of endpoints.values()) stored.lastClaimedAtMs = 0
}

const storeOf = (state, sabotage = null) => webhookStoreOf(state.data, now, sabotage)

function endpoint(endpointId, url) {
  return {
    endpointId,
    appId,
    url,
    eventTypes: null,
    description: null,
    headers: null,
    standardWebhooks: false,
    createdAt: new Date(0),
  }
}

/** The first state: endpoints, and deliveries that are due now. `deliveries` names the endpoint of each. */
export async function firstState({ endpoints, deliveries, workers }) {
  const state = {
    data: createMemoryWebhookData(),
    workers: Array.from({ length: workers }, () => null),
    /** Posts, and whether one was accepted, by `X-Event-ID`. */
    posts: {},
    accepted: {},
    /** Changes that people have made: each is made once. */
    used: {},
    /** The step of the recovery that was decided and is not yet written. */
    step: null,
    violation: null,
  }
  const store = storeOf(state)
  for (const id of endpoints) await store.registerEndpoint(endpoint(id, `https://${id}.example/`), 10)
  for (const [index, endpointId] of deliveries.entries()) {
    const eventId = `00000000-0000-4000-8000-00000000000${index}`
    const xEventId = await xEventIdOf(eventId, endpointId)
    await store.insertEvent({
      eventId,
      appId,
      userId,
      type: 'WIDGET_DEPOSIT_COMPLETE',
      test: false,
      withheld: null,
      occurredAt: new Date(0),
      body: new Uint8Array([index]),
      sourceEventId: null,
      deliveries: [{ deliveryId: `d${index}`, endpointId, xEventId }],
    })
  }
  return state
}

/** Lets a claim see one delivery: which of several comes first does not matter here. */
async function seeingOnly(deliveryId, { pending }, claim) {
  const others = [...pending.values()].filter((one) => one.deliveryId !== deliveryId)
  const before = others.map((one) => [one, one.dueAtMs, one.open?.leaseEndsAtMs])
  for (const one of others) {
    one.dueAtMs = later
    if (one.open !== null) one.open.leaseEndsAtMs = later
  }
  const [claimed] = await claim()
  for (const [one, dueAtMs, leaseEndsAtMs] of before) {
    one.dueAtMs = dueAtMs
    if (one.open !== null) one.open.leaseEndsAtMs = leaseEndsAtMs
  }
  return claimed
}

const moreAttempts = { 'one-attempt-more': 1, 'gives-up-early': -1 }

/** What workers, receivers and time may do in a state, by name. Each takes a copy of the state and changes it. */
function actionsOfWorkers(state, { maxAttempts, sabotage }) {
  const actions = {}
  const retry = { maxAttempts: maxAttempts + (moreAttempts[sabotage] ?? 0) }
  async function record(next, worker, report) {
    const held = next.workers[worker]
    next.workers[worker] = null
    const current = next.data.deliveries.get(held.claim.deliveryId)?.open?.token
    const context = { now: new Date(0), random: () => 0.5, retry }
    let result = attemptResultOf(held.claim, report, context)
    if (sabotage === 'no-fence' && current !== undefined)
      result = { ...result, fence: { ...result.fence, token: current } }
    if (sabotage === 'attempt-not-counted' && report === interrupted)
      result = { ...result, attempt: { ...result.attempt, state: 'UNSENT' } }
    const { stale } = await storeOf(next).recordAttemptResults([result])
    if (stale.length === 0 && current !== held.claim.fence.token) next.violation = violations.staleResult
  }

  async function claimDue(next, worker, deliveryId) {
    const maxInFlight = { healthy: 2, failing: 1 }
    const request = { limit: 1, leaseMs, maxInFlight, keepForHealthy: 0 }
    const claim = async () => (await storeOf(next, sabotage).claimDue(request)).claimed
    const claimed = await seeingOnly(deliveryId, next.data, claim)
    if (claimed === undefined) return
    const isPaused = next.data.endpoints.get(claimed.endpoint.endpointId).endpoint.pausedBy !== null
    if (isPaused) next.violation = violations.claimedWhilePaused
    next.workers[worker] = { claim: claimed, step: 'opened' }
  }

  async function takeOver(next, worker, deliveryId) {
    const take = () => storeOf(next).claimExpired({ limit: 1, leaseMs })
    next.workers[worker] = { claim: await seeingOnly(deliveryId, next.data, take), step: 'taken over' }
  }

  // Workers are alike, so one of those that hold nothing acts for all.
  const free = state.workers.indexOf(null)
  for (const { deliveryId, open, dueAtMs } of state.data.pending.values()) {
    const isDue = (open === null ? dueAtMs : open.leaseEndsAtMs) <= now
    if (!isDue && open === null)
      actions[`${deliveryId} is due`] = async ({ data }) => void (data.pending.get(deliveryId).dueAtMs = now)
    else if (!isDue)
      actions[`the lease of ${deliveryId} ends`] = async ({ data }) =>
        void (data.pending.get(deliveryId).open.leaseEndsAtMs = now)
    else if (free !== -1 && open === null)
      actions[`worker ${free} claims ${deliveryId}`] = (next) => claimDue(next, free, deliveryId)
    else if (free !== -1 && sabotage !== 'never-takes-over')
      actions[`worker ${free} takes ${deliveryId} over`] = (next) => takeOver(next, free, deliveryId)
  }

  for (const [worker, held] of state.workers.entries()) {
    if (held === null) continue
    actions[`worker ${worker} crashes`] = async (next) => void (next.workers[worker] = null)
    const { xEventId } = held.claim
    if (held.step === 'taken over') {
      actions[`worker ${worker} records the interruption`] = (next) => record(next, worker, interrupted)
    } else if (held.step === 'opened') {
      actions[`worker ${worker} posts`] = async (next) => {
        next.posts[xEventId] = (next.posts[xEventId] ?? 0) + 1
        next.workers[worker] = { ...held, step: 'posted' }
      }
    } else {
      actions[`worker ${worker} records a refusal`] = (next) => record(next, worker, refused)
      actions[`worker ${worker} records a success`] = async (next) => {
        next.accepted[xEventId] = true
        await record(next, worker, ok)
      }
      if (sabotage === 'believes-timeouts')
        actions[`worker ${worker} believes a timeout`] = (next) => record(next, worker, ok)
    }
  }
  return actions
}

/** The steps of a recovery that runs. Between its decision and its write anything may happen. */
function actionsOfRecovery(state, { sabotage }) {
  if (![...state.data.recoveries.values()].some(({ progress }) => progress.state === 'RUNNING')) return {}
  const scopes = state.used['the grant is revoked'] ? [] : ['MAKE_PAYOUT_SEND']
  async function decide(next) {
    const store = recoveryStoreOf(next.data, now, sabotage)
    const keep = async (request) => {
      next.step = request
      return 'stale'
    }
    const grants = { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes })) }
    await recoverEvents({ store: { ...store, writeStep: keep }, grants, newId: () => 'named when it is written' })
  }
  async function write(next) {
    const { deliveries, ...request } = next.step
    next.step = null
    const named = deliveries.map((one) => ({ ...one, deliveryId: `recovered ${one.eventId}` }))
    const written = sabotage === 'new-id' ? named.map((one) => ({ ...one, xEventId: `${one.xEventId}, new` })) : named
    await recoveryStoreOf(next.data, now, sabotage).writeStep({ ...request, deliveries: written })
  }
  return state.step === null ? { 'the recovery decides': decide } : { 'the recovery writes': write }
}

/** What people may do in a state, each once. */
function actionsOfPeople(state, { changes, sabotage }) {
  const actions = {}
  const once = (change, name, act) => {
    if (!changes.includes(change) || state.used[name] !== undefined) return
    actions[name] = async (next) => {
      next.used = { ...next.used, [name]: true }
      await act(storeOf(next, sabotage), next)
    }
  }
  once('revoke', 'the grant is revoked', (store) => store.cancelPending({ appId, userId, reason: 'GRANT_REVOKED' }))
  once('pause', 'a is paused', async (store) => {
    for (const endpointId of ['a', 'a2']) await store.pauseEndpoint({ appId, endpointId, by: 'PARTNER' })
  })
  if (state.used['a is paused']) {
    once('pause', 'a is resumed', async (store) => {
      for (const endpointId of ['a', 'a2']) await store.resumeEndpoint({ appId, endpointId, by: 'PARTNER' })
    })
  }
  once('replace', 'a is replaced', (store) =>
    store.replaceEndpoint({ appId, endpointId: 'a', replacement: endpoint('a2', 'https://a2.example/') }),
  )
  const isOver = ({ state, resendOf }) => state !== 'PENDING' && resendOf === null
  for (const { deliveryId } of [...state.data.deliveries.values()].filter(isOver)) {
    if (state.used['one is sent again']) break
    once('resend', `${deliveryId} is sent again`, async (store, next) => {
      next.used = { ...state.used, 'one is sent again': true }
      await store.resendDelivery({ appId, deliveryId, newDeliveryId: `resend of ${deliveryId}` })
    })
  }
  once('recover', 'a recovery of a starts', async (_, { data }) => {
    const store = recoveryStoreOf(data, later, sabotage)
    const range = { appId, recoveryId: 'recovery', since: new Date(0), until: null, eventTypes: null }
    for (const endpointId of ['a', 'a2']) await store.startRecovery({ ...range, endpointId }).catch(() => undefined)
  })
  return actions
}

/** Everything that may happen in a state, by name. `sabotage` is a known bug. */
export function actionsOf(state, world) {
  const byThemselves = { ...actionsOfWorkers(state, world), ...actionsOfRecovery(state, world) }
  return { byThemselves, byPeople: actionsOfPeople(state, world) }
}

/** The state after an action. */
export async function after(state, act) {
  const next = {
    ...state,
    data: copyOf(state.data),
    workers: [...state.workers],
    posts: { ...state.posts },
    accepted: { ...state.accepted },
    violation: null,
  }
  await act(next)
  forgetInstants(next.data)
  return next
}

/**
 * Two states with the same text have the same future. Workers are alike, and so are events that began at the same
 * endpoint: a state with two of them exchanged is the same state.
 */
export function textOf({ data, workers, posts, accepted, used, step }) {
  const decided = new Set(step?.deliveries.map(({ eventId }) => eventId))
  const textOfHeld = ({ claim, step }) =>
    `${step} ${data.deliveries.get(claim.deliveryId)?.open?.token === claim.fence.token}`
  const textOfDelivery = (one) => [
    ...[one.endpointId, one.state, one.attemptsMade, one.cancelRequested, one.resendOf !== null, one.recovered],
    one.state !== 'PENDING' || (one.open === null ? one.dueAtMs : one.open.leaseEndsAtMs) > now,
    one.open !== null,
    ...workers
      .filter((held) => held?.claim.deliveryId === one.deliveryId)
      .map(textOfHeld)
      .sort(),
  ]
  const events = new Map([...data.events.keys()].map((id) => [id, []]))
  for (const one of data.deliveries.values()) events.get(one.event.eventId).push(one)
  const textOfEvent = ([eventId, deliveries]) => {
    const ids = [...new Set(deliveries.map(({ xEventId }) => xEventId))]
    const seen = ids.map((id) => [posts[id] ?? 0, accepted[id] ?? false])
    return JSON.stringify([deliveries.map(textOfDelivery), seen, decided.has(eventId)])
  }
  const endpoints = [...data.endpoints.values()].map((one) => [
    ...[one.endpoint.endpointId, one.removed, one.endpoint.pausedBy, one.failingSinceMs !== null],
  ])
  const recoveries = [...data.recoveries.values()].map(({ endpointId, progress }) => [endpointId, progress.state])
  return JSON.stringify([
    ...[[...events].map(textOfEvent).sort(), endpoints, recoveries, step === null, step?.endpointId],
    Object.keys(used).sort(),
  ])
}
