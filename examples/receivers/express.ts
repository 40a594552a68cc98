// Express 4 and 5.
import { createMemoryDeduplicationStore } from '@kyc-relay/webhooks'
import { createNodeWebhookHandler } from '@kyc-relay/webhooks/node'
import express, { type Express } from 'express'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}

export function createApp({ apiKey, onDeposit }: Options): Express {
  const app = express()

  // Above express.json(): the handler reads the raw body itself.
  app.post(
    '/webhooks',
    createNodeWebhookHandler({
      secrets: apiKey,
      // In memory: for one process. Stores for SQLite and PostgreSQL are in @kyc-relay/storage-drizzle.
      deduplicate: createMemoryDeduplicationStore({ now: Date.now }),
      onEvent: async ({ type, event, test }) => {
        if (test) return
        if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
      },
      onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
    }),
  )

  app.use(express.json())
  app.post('/orders', (request, response) => {
    response.json({ items: Object.keys(request.body as object).length })
  })
  return app
}
