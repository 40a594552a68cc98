import { reportOfCause } from '@kyc-relay/webhooks/delivery'
import { createMemoryWebhookData, createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
import { attemptResultOf } from '../../packages/webhooks/test/delivery/attempt-result.ts'

const appId = 'app'
const userId = 'user'
const leaseMs = 45_000
const ok = { ...reportOfCause('HTTP_STATUS'), cause: null, status: 200 }
const refused = { ...reportOfCause('HTTP_STATUS'), status: 500 }
const interrupted = reportOfCause('INTERRUPTED')

/** Copies what the store changes. Events and lineages are only added to. */
function copyOf(data) {
  const deliveries = new Map()
  for (const [id, delivery] of data.deliveries) {
    const attempts = delivery.attempts.map((attempt) => ({ ...attempt }))
    const open = delivery.open === null ? null : attempts.find(({ number }) => number === delivery.open.number)
    deliveries.set(id, { ...delivery, attempts, open })
  }
  const pending = new Map([...data.pending.keys()].map((id) => [id, deliveries.get(id)]))
  const endpoints = new Map([...data.endpoints].map(([id, stored]) => [id, { ...stored }]))
  return {
    ...data,
    deliveries,
    pending,
    endpoints,
    lineages: new Map(data.lineages),
    hours: new Map(),
    listeners: new Set(),
  }
}

const storeOf = (state) => createMemoryWebhookStore({ data: state.data, nowMs: () => state.nowMs })

function endpoint(endpointId, url) {
  return {
    ...{ endpointId, appId, url, eventTypes: null, description: null, headers: null, standardWebhooks: false },
    createdAt: new Date(0),
  }
}

/** The first state: endpoints, and deliveries that are due now. `deliveries` names the endpoint of each. */
export async function firstState({ endpoints, deliveries, workers }) {
  const state = {
    data: createMemoryWebhookData(),
    nowMs: 1,
    workers: Array.from({ length: workers }, () => null),
    posts: {},
    accepted: {},
    used: {},
    violation: null,
  }
  const store = storeOf(state)
  for (const id of endpoints) await store.registerEndpoint(endpoint(id, `https://${id}.example/`), 10)
  for (const [index, endpointId] of deliveries.entries()) {
    await store.insertEvent({
      ...{ eventId: `event${index}`, appId, userId, type: 'WIDGET_DEPOSIT_COMPLETE', test: false, withheld: null },
      ...{ occurredAt: new Date(0), body: new Uint8Array([index]), sourceEventId: null },
      deliveries: [{ deliveryId: `d${index}`, endpointId, xEventId: `x${index}` }],
    })
  }
  return state
}

/** The times when something becomes possible that is not possible now. */
function laterTimes({ data, nowMs }) {
  const times = [...data.deliveries.values()].flatMap(({ state, open, dueAtMs }) =>
    state !== 'PENDING' ? [] : [open === null ? dueAtMs : open.leaseEndsAtMs],
  )
  return times.filter((at) => at > nowMs)
}

/**
 * Everything that may happen in a state, by name. Each takes a copy of the state and changes it. `sabotage` is a known bug.
 */
export function actionsOf(state, { maxAttempts, changes, sabotage }) {
  const actions = {}
  const decide = (held, report) =>
    attemptResultOf(held.claim, report, { now: new Date(0), random: () => 0.5, retry: { maxAttempts } })

  async function record(next, worker, report) {
    const held = next.workers[worker]
    next.workers[worker] = null
    const current = next.data.deliveries.get(held.claim.deliveryId)?.open?.token
    let result = decide(held, report)
    if (sabotage === 'no-fence' && current !== undefined)
      result = { ...result, fence: { ...result.fence, token: current } }
    if (sabotage === 'attempt-not-counted' && report === interrupted)
      result = { ...result, attempt: { ...result.attempt, state: 'UNSENT' } }
    const { stale } = await storeOf(next).recordAttemptResults([result])
    if (stale.length === 0 && current !== held.claim.fence.token) next.violation = 'a stale result was applied'
  }

  async function claim(next, worker, kind) {
    const store = storeOf(next)
    const maxInFlight = { healthy: 2, failing: 1 }
    const [claimed] =
      kind === 'due'
        ? (await store.claimDue({ limit: 1, leaseMs, maxInFlight, keepForHealthy: 0 })).claimed
        : await store.claimExpired({ limit: 1, leaseMs })
    if (claimed === undefined) return
    const isPaused = next.data.endpoints.get(claimed.endpoint.endpointId).endpoint.pausedBy !== null
    if (kind === 'due' && isPaused) next.violation = 'a delivery of a paused endpoint was claimed'
    next.workers[worker] = { claim: claimed, step: kind === 'due' ? 'opened' : 'taken over' }
  }

  for (const [worker, held] of state.workers.entries()) {
    if (held === null) {
      actions[`worker ${worker} claims`] = (next) => claim(next, worker, 'due')
      if (sabotage !== 'never-takes-over')
        actions[`worker ${worker} takes over`] = (next) => claim(next, worker, 'expired')
      continue
    }
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

  const later = laterTimes(state)
  if (later.length > 0) actions['time passes'] = async (next) => void (next.nowMs = Math.min(...later))

  const once = (change, name, act) => {
    if (changes.includes(change) && state.used[name] === undefined) {
      actions[name] = async (next) => {
        next.used = { ...next.used, [name]: true }
        await act(storeOf(next), next)
      }
    }
  }
  once('revoke', 'the grant is revoked', (store) => store.cancelPending({ appId, userId, reason: 'GRANT_REVOKED' }))
  once('pause', 'a is paused', (store) => store.pauseEndpoint({ appId, endpointId: 'a', by: 'PARTNER' }))
  if (state.used['a is paused']) {
    once('pause', 'a is resumed', async (store) => {
      for (const endpointId of ['a', 'a2']) await store.resumeEndpoint({ appId, endpointId, by: 'PARTNER' })
    })
  }
  once('replace', 'a is replaced', (store) =>
    store.replaceEndpoint({ appId, endpointId: 'a', replacement: endpoint('a2', 'https://a2.example/') }),
  )
  const finished = [...state.data.deliveries.values()].find((one) => one.state !== 'PENDING' && one.resendOf === null)
  if (finished !== undefined) {
    const { deliveryId } = finished
    once('resend', 'the first ended delivery is sent again', (store) =>
      store.resendDelivery({ appId, deliveryId, newDeliveryId: 'resend' }),
    )
  }
  return actions
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
  return next
}

/** Two states with the same text have the same future: instants count only by their order and their distance from now. */
export function textOf({ data, nowMs, workers, posts, accepted, used }) {
  const past = new Set()
  for (const { dueAtMs, state } of data.deliveries.values()) if (state === 'PENDING') past.add(dueAtMs)
  for (const { lastClaimedAtMs } of data.endpoints.values()) past.add(lastClaimedAtMs)
  const order = [...past].filter((at) => at <= nowMs).sort((one, other) => one - other)
  const time = (at) => (at > nowMs ? at - nowMs : -order.indexOf(at) - 1)
  const tokens = new Map([...data.deliveries.values()].map(({ deliveryId, open }) => [deliveryId, open?.token]))
  const deliveries = [...data.deliveries.values()].map((one) => [
    ...[one.deliveryId, one.endpointId, one.state, one.attemptsMade, one.cancelRequested],
    ...(one.state !== 'PENDING'
      ? []
      : one.open === null
        ? [time(one.dueAtMs)]
        : ['open', Math.max(0, one.open.leaseEndsAtMs - nowMs)]),
  ])
  const endpoints = [...data.endpoints.values()].map((one) => [
    ...[one.endpoint.endpointId, one.removed, one.endpoint.pausedBy, one.failingSinceMs !== null],
    time(one.lastClaimedAtMs),
  ])
  // Workers are alike: a state with the two exchanged is the same state.
  const held = workers.map((one) =>
    one === null
      ? ''
      : `${one.claim.fence.deliveryId} ${one.claim.fence.attempt} ${one.step} ${tokens.get(one.claim.deliveryId) === one.claim.fence.token}`,
  )
  return JSON.stringify([deliveries, endpoints, held.sort(), sorted(posts), sorted(accepted), sorted(used)])
}

const sorted = (record) => Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1))
