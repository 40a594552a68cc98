import { eventCatalogue, type CatalogueEntry } from '@kyc-relay/webhooks/events'
import type { EventType } from '@kyc-relay/webhooks'
import { z } from 'zod'

type Json = Record<string, unknown>

/** When an event of each type is sent (docs/contract.md 8.1). */
export const eventMeanings: Readonly<Record<EventType, string>> = {
  WIDGET_KYC_INITIATION: 'A user starts KYC in the widget.',
  WIDGET_DEPOSIT_COMPLETE: 'A user sent money into the app.',
  WIDGET_WITHDRAW_COMPLETE: 'A user took money out of the app.',
  TRANSACTION_CREATE: 'A transaction begins. Its status is `PENDING`.',
  TRANSACTION_UPDATE: 'The status of a transaction changed.',
  TRANSACTION_DECLINE: 'A transaction is declined.',
  KYC_STATUS_CHANGED:
    'The KYC status of a user changed. Only if the operator turned this type on, and to endpoints that name it.',
}

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

/** JSON Schema 2020-12 of the body of an event type. */
export function eventJsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', override }) as Json
  return rest

  function override({ jsonSchema: json }: { jsonSchema: Json }): void {
    delete json['readOnly']
    if (json['format'] === 'uuid' || json['format'] === 'date-time') delete json['pattern']
    // Later versions may add fields.
    if (json['additionalProperties'] === false) delete json['additionalProperties']
  }
}

/** The `webhooks` of the OpenAPI document: one for each event type of the catalogue. */
export function openApiWebhooks(): Json {
  return Object.fromEntries(
    Object.values(eventCatalogue as Readonly<Record<EventType, CatalogueEntry<EventType>>>).map(
      ({ type, scopes, schema, example }) => [
        type,
        {
          post: {
            operationId: type,
            tags: ['Events'],
            summary: type,
            description: `${eventMeanings[type]} Sent only for users who granted ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`,
            security: [],
            parameters: headers,
            requestBody: {
              required: true,
              content: { 'application/json': { schema: eventJsonSchema(schema), example } },
            },
            responses: {
              '2XX': { description: 'Acknowledges the event. The service waits 30 seconds for it.' },
              '4XX': {
                description: 'Refuses the event. Every status but 2xx is a failed attempt; there are five attempts.',
              },
            },
          },
        },
      ],
    ),
  )
}
