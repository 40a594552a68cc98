// Sends from the runtime that it runs on. sender.test.ts bundles it and gives it the URLs.
import { createWebhooks, uuidv7, type PreparedEvent, type WebhooksOptions } from '@kyc-relay/webhooks/delivery'
import { createHttpsSender } from '@kyc-relay/webhooks/https'
import { createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'

/** What the test gives: the receiver's URL on `http://localhost`, its API key, and HTTPS servers with a test authority. */
export interface SenderCheck {
  readonly receiver: string
  readonly apiKey: string
  readonly caPem: string
  readonly servers: Readonly<Record<string, string>>
}

/** @returns how an event was published, and how each attempt ended: null is success */
export async function checkSender({ receiver, apiKey, caPem, servers }: SenderCheck) {
  const delivery = await deliverOnce(receiver, apiKey)
  const send = createHttpsSender({ policy: { allowLoopback: { caPem } } })
  const body = new TextEncoder().encode('{}')
  const attempts: Record<string, unknown> = {}
  for (const [name, url] of Object.entries(servers)) {
    const { cause, status } = await send({ url, headers: { 'x-event-id': 'id-1' }, body, timeoutMs: 30_000 })
    attempts[name] = { cause, status }
  }
  return { delivery, attempts }
}

/** Publishes an event and waits for the result of its delivery. */
async function deliverOnce(url: string, apiKey: string) {
  const [appId, userId, accountId] = [uuidv7(), uuidv7(), uuidv7()]
  const user = { accountId, appName: 'Shop', externalReferenceId: 'customer-1042', scopes: ['MAKE_PAYOUT_SEND'] }
  const store = createMemoryWebhookStore()
  let end: (cause: unknown) => void
  const ended = new Promise<unknown>((resolve) => (end = resolve))
  const options: WebhooksOptions<null, ReturnType<typeof store.insertEvent>> = {
    storage: { webhooks: store, insertEvent: (_none: null, event: PreparedEvent) => store.insertEvent(event) },
    grants: { find: (pairs) => Promise.resolve(pairs.map((pair) => ({ ...pair, ...user }))) },
    signingKeys: {
      current: (appIds) => Promise.resolve(appIds.map((known) => ({ appId: known, key: apiKey, version: 1 }))),
    },
    urls: { allowPlainHttpLocalhost: true },
    observe: { onResultWritten: ({ result }) => end(result.attempt.report.cause) },
  }
  const webhooks = createWebhooks(options)
  await webhooks.start()
  await webhooks.registerEndpoint({ appId, url })
  const data = { amount: 100.5 }
  const { status } = await webhooks.publish({ appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data })
  const cause = await ended
  await webhooks.stop()
  return { status, cause }
}
