import type { WebhookStore } from '../../../src/delivery/index.js'
import { createMemoryWebhookData, createMemoryWebhookStore, webhookStoreCases } from '../../../src/testing/index.js'
import type { StoredDelivery } from '../../../src/testing/memory-records.js'
import type { MemoryWebhookData } from '../../../src/testing/memory-webhook-data.js'

export type Store = Required<WebhookStore>

/** What a wrong store knows beside its right methods. */
export interface Surroundings {
  now(): number
  /** Runs when the last handle is closed. */
  onClosed(forget: () => void): void
}

/** Replaces some methods of a right store by wrong ones. */
export type Spoil = (store: Store, data: MemoryWebhookData, surroundings: Surroundings) => Partial<Store>

/** A store with one mistake, and the only case that fails with it. */
export type WrongStore = readonly [what: string, caughtBy: string, spoil: Spoil]

/** Lets every caller that has begun come as far as this. */
export const tick = () => new Promise((resolve) => setImmediate(resolve))

/** Runs the cases and returns the errors of those that fail, by id. */
export async function failingCases(spoil: Spoil): Promise<Record<string, string>> {
  const failing: Record<string, string> = {}
  for (const { id, run } of webhookStoreCases) {
    let now = Date.parse('2026-03-01T12:00:00Z')
    const data = createMemoryWebhookData()
    const right = createMemoryWebhookStore({ data, nowMs: () => now })
    let [handles, forget] = [0, () => {}]
    const wrong = spoil(right, data, { now: () => now, onClosed: (callback) => (forget = callback) })
    const store = { ...right, ...wrong }
    const harness = {
      async open() {
        handles += 1
        const close = async () => void ((handles -= 1) === 0 && forget())
        return { store, close }
      },
      advance: async (ms: number) => void (now += ms),
    }
    await run(harness).catch((error: unknown) => (failing[id] = String(error)))
  }
  return failing
}

/** Pending deliveries that are not in flight. */
export const waitingIn = ({ pending }: MemoryWebhookData) => [...pending.values()].filter(({ open }) => open === null)

/** Whether the endpoint of a delivery is removed. */
export const isRemoved = (data: MemoryWebhookData, { endpointId }: Pick<StoredDelivery, 'endpointId'>) =>
  data.endpoints.get(endpointId)?.removed !== false

/** The live endpoints of the lineage that an endpoint belongs to. */
export function liveOfLineage(data: MemoryWebhookData, endpointId: string) {
  const lineageId = data.endpoints.get(endpointId)?.endpoint.lineageId
  return [...data.endpoints.values()].filter(({ endpoint, removed }) => !removed && endpoint.lineageId === lineageId)
}

/** Changes a delivery, and whether it is among the pending ones. */
export function change(data: MemoryWebhookData, delivery: StoredDelivery, fields: Partial<StoredDelivery>): void {
  Object.assign(delivery, fields)
  if (delivery.state === 'PENDING') data.pending.set(delivery.deliveryId, delivery)
  else data.pending.delete(delivery.deliveryId)
}

/** Hides pending deliveries while `call` begins. */
export function without<T>(data: MemoryWebhookData, hidden: readonly StoredDelivery[], call: () => T): T {
  for (const { deliveryId } of hidden) data.pending.delete(deliveryId)
  const answer = call()
  for (const delivery of hidden) data.pending.set(delivery.deliveryId, delivery)
  return answer
}

/** Changes deliveries while `call` begins, which is all that the store in memory needs to answer. */
export function during<T>(deliveries: readonly StoredDelivery[], change: Partial<StoredDelivery>, call: () => T): T {
  const before = deliveries.map((delivery) => ({ ...delivery }))
  for (const delivery of deliveries) Object.assign(delivery, change)
  const answer = call()
  for (const [n, delivery] of deliveries.entries()) {
    for (const field of Object.keys(change)) Object.assign(delivery, { [field]: before[n]?.[field as 'state'] })
  }
  return answer
}
