// Cloudflare Workers.
import { createWebhookHandler } from '@kyc-relay/webhooks'

interface Env {
  readonly KYC_RELAY_API_KEY: string
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const receive = createWebhookHandler({
      secrets: env.KYC_RELAY_API_KEY,
      framework: 'cloudflare-workers',
      // An isolate's memory is lost at any time. To deduplicate, implement DeduplicationStore on a Durable Object or D1.
      onEvent: ({ type, event, eventId, test }) => {
        if (test) return
        if (type === 'WIDGET_DEPOSIT_COMPLETE') console.log('deposit', eventId, event.externalReferenceId, event.amount)
      },
      onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
      onError: (error) => console.error(error),
    })
    return receive(request)
  },
}
