import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedStore } from '@kyc-relay/webhooks/delivery'
import { startOfTests } from '../samples.js'
import { apps, users, type Comparison, type Stores } from './comparison.js'
import type { createModel } from './model.js'

/** Compares everything that can be read back. */
export async function compareRows({
  compare,
  compareSides,
  model,
  clock,
}: Comparison & { readonly model: ReturnType<typeof createModel>; readonly clock: () => Date }): Promise<void> {
  /** Members and rows in an order of their own: a port promises none. */
  const inAnyOrder = (hours: readonly object[]) => hours.map((one) => JSON.stringify(Object.entries(one).sort())).sort()
  for (const appId of apps) {
    for (const since of [startOfTests, clock()]) {
      await compare(inAnyOrder(model.endpointHours(appId, since)), async ({ webhooks }) =>
        inAnyOrder(await webhooks.listEndpointHours({ appId, since })),
      )
    }
  }
  const at = (instant: Date | null | undefined) => instant?.getTime() ?? null
  await compare({ deliveries: model.deliveries(), verifications: model.verifications() }, async (stores) => {
    const { deliveries, verifications } = await readAll(stores)
    const byId = new Map(deliveries.map((one) => [one?.deliveryId, one]))
    const log = new Map(verifications.map((one) => [one.verificationId, one]))
    return {
      deliveries: [
        ...new Set([...model.deliveries().map((one) => one.deliveryId as string | undefined), ...byId.keys()]),
      ].map((id) => {
        const one = byId.get(id)
        return {
          deliveryId: one?.deliveryId,
          endpointId: one?.endpointId,
          state: one?.state,
          attemptsMade: one?.attemptsMade,
          createdAt: at(one?.createdAt),
          nextAttemptAt: at(one?.nextAttemptAt),
          endedAt: at(one?.endedAt),
          cancelReason: one?.cancelReason,
          resendOf: one?.resendOf,
          attempts: one?.attempts.map((each) => ({
            ...each,
            startedAt: at(each.startedAt),
            endedAt: at(each.endedAt),
          })),
        }
      }),
      verifications: model.verifications().map(({ verificationId }) => {
        const one = log.get(verificationId)
        return {
          verificationId,
          result: one?.result,
          statusLog: { previous: one?.statusLog.previous, next: one?.statusLog.next },
        }
      }),
    }
  })
  // Between the sides everything that can be read back is the same, also what the model does not have.
  await compareSides(readAll)
  for (const appId of apps) {
    const count = model.countEvents(appId)
    await compareSides(({ feed }) => readFeed(feed, appId, count))
  }
}

/** Everything that can be read back: the same in both engines, and what the model expects. */
async function readAll({ webhooks, verifications }: Stores) {
  const found = await Promise.all(apps.map((appId) => webhooks.listDeliveries({ appId, limit: 200 })))
  const deliveries = await Promise.all(
    found.flatMap(({ items }) => items).map(({ appId, deliveryId }) => webhooks.findDelivery({ appId, deliveryId })),
  )
  const owners = apps.flatMap((appId) => users.map((userId) => ({ appId, userId })))
  const pages = await Promise.all(owners.map((owner) => verifications.listVerifications(owner, { limit: 200 })))
  return { deliveries, verifications: pages.flatMap(({ items }) => items) }
}

/** Reads the feed of an app to its end. PostgreSQL hides events while a transaction is open, also one of another database. */
async function readFeed(feed: FeedStore, appId: string, count: number): Promise<readonly object[]> {
  const found: object[] = []
  let cursor = await feed.findCursor({ appId, since: startOfTests })
  for (let reads = 0; found.length < count && reads < 1_000; reads += 1) {
    const page = (await feed.listAfter({ appId, cursor, limit: 7 })) ?? []
    found.push(...page.map(({ cursor: _, body, ...listed }) => ({ ...listed, body: Uint8Array.from(body ?? []) })))
    cursor = page.at(-1)?.cursor ?? cursor
    if (page.length === 0) await sleep(10)
  }
  return found
}
