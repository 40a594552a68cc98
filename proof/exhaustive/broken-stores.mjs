import { createMemoryRecoveryStore, createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'

/** Deliveries that a recovery with this known bug does not see: when it decides and when it writes, by their states. */
const unseen = {
  'recovers-acknowledged': { listEvents: ['DELIVERED'], writeStep: ['DELIVERED'] },
  'recovers-waiting': { listEvents: ['PENDING'], writeStep: ['PENDING'] },
  'writes-unchecked': { writeStep: ['DELIVERED', 'PENDING'] },
}

async function withoutDeliveries({ deliveries }, states, act) {
  const hidden = [...deliveries].filter(([, { state }]) => states.includes(state))
  for (const [id] of hidden) deliveries.delete(id)
  const answer = await act()
  for (const [id, delivery] of hidden) deliveries.set(id, delivery)
  return answer
}

async function withoutPauses({ endpoints }, act) {
  const before = [...endpoints.values()].map((stored) => [stored, stored.endpoint])
  for (const [stored, endpoint] of before) stored.endpoint = { ...endpoint, pausedBy: null }
  const answer = await act()
  for (const [stored, endpoint] of before) stored.endpoint = endpoint
  return answer
}

/** The webhook store in memory, with a known bug or null. */
export function webhookStoreOf(data, nowMs, sabotage) {
  const store = createMemoryWebhookStore({ data, nowMs: () => nowMs })
  const broken = {
    'claims-while-paused': { claimDue: (request) => withoutPauses(data, () => store.claimDue(request)) },
    reopens: {
      async resendDelivery({ deliveryId }) {
        const delivery = data.deliveries.get(deliveryId)
        delivery.state = 'PENDING'
        data.pending.set(deliveryId, delivery)
      },
    },
  }
  return { ...store, ...broken[sabotage] }
}

/** The recovery store in memory, with a known bug or null. */
export function recoveryStoreOf(data, nowMs, sabotage) {
  const store = createMemoryRecoveryStore({ data, nowMs: () => nowMs })
  const { listEvents = [], writeStep = [] } = unseen[sabotage] ?? {}
  return {
    ...store,
    findNextStep: async (request) => (sabotage === 'recovers-nothing' ? null : store.findNextStep(request)),
    listEvents: (range) => withoutDeliveries(data, listEvents, () => store.listEvents(range)),
    writeStep: (request) => withoutDeliveries(data, writeStep, () => store.writeStep(request)),
  }
}
