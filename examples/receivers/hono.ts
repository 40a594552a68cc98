// Hono 4, on any runtime.
import { createMemoryDeduplicationStore, createWebhookHandler } from '@kyc-relay/webhooks'
import { Hono } from 'hono'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}

export function createApp({ apiKey, onDeposit }: Options): Hono {
  const app = new Hono()
  const receive = createWebhookHandler({
    secrets: apiKey,
    deduplicate: createMemoryDeduplicationStore({ now: Date.now }),
    framework: 'hono',
    onEvent: async ({ type, event, test }) => {
      if (test) return
      if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
    },
    onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
    onError: (error) => console.error(error),
  })

  app.all('/webhooks', (c) => receive(c.req.raw))
  app.post('/orders', async (c) => c.json({ items: Object.keys(await c.req.json<object>()).length }))
  return app
}
