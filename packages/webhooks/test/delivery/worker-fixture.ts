import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerDeps,
  type Sender,
} from '../../src/delivery/index.js'
import type { SendResult } from '../../src/internal/index.js'
import type { SendRequest } from '../../src/delivery/sender.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import { accepted, allGranted, appId, oneKey } from './delivery-samples.js'
import { VirtualTime } from './virtual-time.js'

export let time: VirtualTime
export let store: ReturnType<typeof createMemoryWebhookStore>
export let sent: SendRequest[]
export let problems: string[]
let longRun: { pollIntervalMs?: number; takeOverIntervalMs?: number }

/** Starts anew, before each test. */
export function setUpWorker(): void {
  time = new VirtualTime()
  store = createMemoryWebhookStore({ nowMs: () => time.nowMs })
  sent = []
  problems = []
  longRun = {}
}

/** A sender that answers by the endpoint's path, at once or after a while. */
export function senderOf(answer: (request: SendRequest, count: number) => SendResult | Promise<SendResult>): Sender {
  return async (request) => {
    sent.push(request)
    return answer(request, sent.length)
  }
}

export function createWorker(overrides: Partial<DeliveryWorkerDeps> = {}): DeliveryWorker {
  return createDeliveryWorker({
    store,
    grants: allGranted,
    signingKeys: oneKey,
    send: senderOf(() => accepted),
    now: () => time.now(),
    random: () => 0.5,
    timers: time,
    onProblem: (problem) => problems.push(problem),
    ...overrides,
    options: { ...longRun, ...overrides.options },
  })
}

/** A day of looking once per second would be 86,400 looks; what is due is looked for when it is due anyway. */
export function lookSeldom(): void {
  longRun = { pollIntervalMs: 60_000, takeOverIntervalMs: 60_000 }
}

export async function read(delivery: { readonly deliveryId: string } | undefined) {
  return store.findDelivery({ appId, deliveryId: delivery?.deliveryId ?? '' })
}

export const statesOf = async () =>
  (await store.listDeliveries({ appId, limit: 200 })).items.map(({ state }) => state).reverse()
