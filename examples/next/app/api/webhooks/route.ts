// Next, App Router: app/api/webhooks/route.ts. A route handler is a function from Request to Response, nothing more.
import { createMemoryDeduplicationStore, createWebhookHandler } from '@kyc-relay/webhooks'
import { bookDeposit } from '../../../book-deposit'

let receive: ((request: Request) => Promise<Response>) | undefined

// With the first request: `next build` runs the top of the module, and a build has no keys.
export function POST(request: Request): Promise<Response> {
  receive ??= createWebhookHandler({
    secrets: process.env.KYC_RELAY_API_KEY,
    deduplicate: createMemoryDeduplicationStore({ now: Date.now }),
    framework: 'next',
    onEvent: async ({ type, event, test }) => {
      if (test) return
      if (type === 'WIDGET_DEPOSIT_COMPLETE') await bookDeposit(event.externalReferenceId, event.amount)
    },
    onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
  })
  return receive(request)
}
