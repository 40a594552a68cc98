// Koa 2 and 3.
import { createMemoryDeduplicationStore } from '@kyc-relay/webhooks'
import { receiveNodeWebhook } from '@kyc-relay/webhooks/node'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}

export function createApp({ apiKey, onDeposit }: Options): Koa {
  const app = new Koa()
  const deduplicate = createMemoryDeduplicationStore({ now: Date.now })

  // Above bodyParser(), which reads the stream.
  app.use(async (ctx, next) => {
    if (ctx.path !== '/webhooks') {
      await next()
      return
    }
    const answer = await receiveNodeWebhook(ctx.req, {
      secrets: apiKey,
      deduplicate,
      framework: 'koa',
      onEvent: async ({ type, event, test }) => {
        if (test) return
        if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
      },
      onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
    })
    ctx.status = answer.status
    ctx.set({ ...answer.headers })
    ctx.body = answer.body
  })

  app.use(bodyParser())
  app.use((ctx) => {
    ctx.body = { items: Object.keys(ctx.request.body as object).length }
  })
  return app
}
