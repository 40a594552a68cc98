import type { CatalogueType } from '../events/event-catalogue.js'
import type { Json } from '../events/event-json-schema.js'

const header = (name: string, description: string, schema: Json, required = true): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema,
})

const headers = [
  header('X-HMAC-Signature', 'HMAC-SHA-256 of the exact body with the API key, in lower-case hex.', {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
  }),
  header('X-Event-ID', 'The same on every attempt. Process each value once.', { type: 'string', format: 'uuid' }),
  header('X-Test-Event', 'On test events alone.', { const: 'true' }, false),
]

/** The `webhooks` of the OpenAPI document: one for each event type of the catalogue. */
export function openApiWebhooks(types: readonly CatalogueType[]): Json {
  return Object.fromEntries(
    types.map(({ name, meaning, scopes, schema, example }) => [
      name,
      {
        post: {
          operationId: name,
          tags: ['Events'],
          summary: name,
          description: `${meaning} Sent only for users who granted ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`,
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example } },
          },
          responses: {
            '2XX': { description: 'Acknowledges the event. The service waits 30 seconds for it.' },
            '4XX': {
              description: 'Refuses the event. Every status but 2xx is a failed attempt; there are five attempts.',
            },
          },
        },
      },
    ]),
  )
}
