// Fastify 5.
import { createMemoryDeduplicationStore, receiveWebhook } from '@kyc-relay/webhooks'
import fastify, { type FastifyInstance } from 'fastify'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}

export function createApp({ apiKey, onDeposit }: Options): FastifyInstance {
  const app = fastify({ bodyLimit: 262_144 })
  const deduplicate = createMemoryDeduplicationStore({ now: Date.now })

  // In its own plugin, so only this route gets the raw body. Other routes keep Fastify's JSON parser.
  app.register((webhooks, _options, done) => {
    webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    )
    webhooks.post('/webhooks', async (request, reply) => {
      const answer = await receiveWebhook(
        { body: request.body as Buffer, headers: request.headers },
        {
          secrets: apiKey,
          deduplicate,
          framework: 'fastify',
          onEvent: async ({ type, event, test }) => {
            if (test) return
            if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
          },
          onRefused: ({ error }) => request.log.warn({ code: error.code }, error.hint),
          onError: (error) => request.log.error(error),
        },
      )
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
    done()
  })

  app.post('/orders', (request) => ({ items: Object.keys(request.body as object).length }))
  return app
}
