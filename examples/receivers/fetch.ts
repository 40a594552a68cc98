// Plain Fetch, as Bun and Deno serve it: an object with a function from Request to Response.
import { createMemoryDeduplicationStore, createWebhookHandler } from '@kyc-relay/webhooks'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}

// In a file that is served: export default createServer({ apiKey: …, onDeposit: … })
export function createServer({ apiKey, onDeposit }: Options) {
  const receive = createWebhookHandler({
    secrets: apiKey,
    deduplicate: createMemoryDeduplicationStore({ now: Date.now }),
    framework: 'fetch',
    onEvent: async ({ type, event, test }) => {
      if (test) return
      if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
    },
    onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
    onError: (error) => console.error(error),
  })
  return {
    fetch(request: Request): Response | Promise<Response> {
      if (new URL(request.url).pathname === '/webhooks') return receive(request)
      return new Response(null, { status: 404 })
    },
  }
}
