import * as z from 'zod'
import { givenInstant } from '../http/instant-field.js'
import { pageLimit } from '../http/page-limit.js'

export const uuid = z.uuid()
/** Id in a request: a UUID of any version in either letter case (RFC 9562, section 4). */
export const givenUuid = z.guid().toLowerCase()
export const instant = z.iso
  .datetime()
  .meta({ description: 'Time in UTC, RFC 3339.', examples: ['2026-01-31T12:00:00.000Z'] })
/** Any name: `known-event-types.ts` refuses unknown ones, and the OpenAPI document lists the known ones. */
export const eventType = z.string().max(100).meta({ id: 'EventType', description: 'Type of an event.' })
export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']).meta({
  id: 'DeliveryStatus',
  description: '`PENDING` while it is being delivered or retried; the other three are final.',
})
const milliseconds = z.number().nonnegative().nullable()

/** Largest page. A larger `limit` is reduced to it. */
export const maxPageSize = 200

const description = z
  .string()
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u)
  .nullish()
  .meta({ description: 'A name for the endpoint, without control characters.' })

const headers = z
  .record(z.string(), z.unknown())
  .nullish()
  .meta({
    override: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 5 },
    description:
      'Up to five static headers that every request carries. Values are 1–1,000 visible ASCII characters, kept sealed, ' +
      'and never shown again. Not allowed: headers that the service sets, `Content-*`, `Webhook-*`, hop-by-hop headers.',
    examples: [{ Authorization: 'Bearer example' }],
  })

/** What an endpoint gets that names no types (docs/contract.md 7 and 8.6). */
const standardTypes =
  'all standard types, `WIDGET_…` and `TRANSACTION_…`. Other types go only to endpoints that name them'

export const registration = z
  .strictObject({
    url: z
      .string()
      .max(2048)
      .meta({
        description: 'Public HTTPS URL that accepts POST. The same URL may be registered more than once.',
        examples: ['https://partner.com/webhooks'],
      }),
    eventTypes: z
      .array(eventType)
      .max(100)
      .nullish()
      .meta({ description: `Absent or empty: ${standardTypes}.` }),
    description,
    standardWebhooks: z
      .boolean()
      .nullish()
      .meta({ description: 'Also send the three Standard Webhooks headers. Default false.' }),
    headers,
  })
  .meta({ id: 'Registration' })

export const replacement = z
  .strictObject({
    url: registration.shape.url.optional(),
    eventTypes: registration.shape.eventTypes.meta({ description: `Empty or null: ${standardTypes}.` }),
    description,
    standardWebhooks: registration.shape.standardWebhooks.meta({
      description: 'Also send the three Standard Webhooks headers.',
    }),
    headers: headers.meta({
      description:
        'New static headers. `{}` or null: none. Absent: as they are, but none if the origin of the URL changes.',
    }),
  })
  .meta({ id: 'Replacement', description: 'What is absent stays as it is.' })

export const testRequest = z
  .strictObject({
    eventType: eventType.nullish().meta({ description: 'Default: the first type of the subscription.' }),
    dryRun: z.boolean().nullish().meta({ description: 'Show the exact request and send nothing. Default false.' }),
  })
  .meta({ id: 'TestRequest' })

export const deliveriesQuery = z.object({
  status: deliveryStatus.optional(),
  eventType: eventType.optional(),
  endpointId: givenUuid.optional(),
  eventId: givenUuid.optional(),
  xEventId: givenUuid.optional().meta({ description: 'Value of `X-Event-ID`.' }),
  userId: givenUuid.optional(),
  transactionId: givenUuid.optional(),
  httpStatus: z
    .string()
    .regex(/^[1-9]\d\d$/)
    .transform(Number)
    .optional()
    .meta({
      override: { type: 'integer', minimum: 100, maximum: 999 },
      description: 'HTTP status of the last attempt that was sent.',
    }),
  createdAfter: givenInstant.optional().meta({ description: 'Earliest creation, inclusive: RFC 3339 or ISO 8601.' }),
  createdBefore: givenInstant.optional().meta({ description: 'Latest creation, exclusive: RFC 3339 or ISO 8601.' }),
  cursor: z.string().max(500).optional().meta({ description: '`nextCursor` of the previous page.' }),
  limit: pageLimit(maxPageSize, 50),
})

export const endpoint = z
  .object({
    id: uuid,
    endpointId: uuid.meta({ description: 'The same as `id`.' }),
    url: z.string(),
    eventTypes: z.array(eventType).meta({ description: 'Empty if the endpoint names no types.' }),
    allEvents: z.boolean().meta({ description: `True if the endpoint names no types. It gets ${standardTypes}.` }),
    description: z.string().nullable(),
    standardWebhooks: z.boolean(),
    headerNames: z.array(z.string()).meta({ description: 'Names of the static headers.' }),
    state: z.enum(['HEALTHY', 'FAILING', 'PAUSED']).meta({
      id: 'EndpointState',
      description: '`FAILING` while its last attempt failed. While `PAUSED`, only test events are sent; others wait.',
    }),
    pausedBy: z.enum(['PARTNER', 'OPERATOR']).nullable().meta({ description: 'Who paused it; null unless paused.' }),
    failingSince: instant.nullable().meta({ description: 'End of the first of its last attempts that all failed.' }),
    lastSuccessAt: instant.nullable().meta({
      description:
        'End of its last attempt that succeeded. It may lag behind by about a minute, or until the next success.',
    }),
    createdAt: instant,
  })
  .meta({ id: 'Endpoint', description: 'A registered HTTPS URL with its event types.' })

const warnings = z
  .array(
    z.object({
      code: z.enum(['URL_ALREADY_REGISTERED']).meta({
        description: '`URL_ALREADY_REGISTERED`: another endpoint of the app has the URL. Each event is sent once.',
      }),
    }),
  )
  .meta({ description: 'What is allowed and may be a mistake.' })

export const registeredEndpoint = z.object({ ...endpoint.shape, warnings }).meta({ id: 'RegisteredEndpoint' })

export const replacedEndpoint = z
  .object({ ...registeredEndpoint.shape, replaces: uuid.meta({ description: 'Id of the former endpoint.' }) })
  .meta({ id: 'ReplacedEndpoint' })

export const endpointPage = z
  .object({ items: z.array(endpoint), nextCursor: z.null().meta({ description: 'All endpoints fit one page.' }) })
  .meta({ id: 'EndpointPage' })

const deliveryFields = {
  id: uuid,
  deliveryId: uuid.meta({ description: 'The same as `id`.' }),
  eventId: uuid,
  xEventId: uuid.meta({
    description:
      'Value of `X-Event-ID`: the same on every attempt, on a resend, and after the endpoint was replaced, or removed and registered again.',
  }),
  eventType,
  test: z.boolean(),
  endpointId: uuid,
  url: z.string(),
  status: deliveryStatus,
  attemptsMade: z.int().min(0).max(5),
  createdAt: instant,
  nextAttemptAt: instant.nullable().meta({ description: 'Null while an attempt is in flight and in a final state.' }),
  endedAt: instant.nullable(),
  cancelReason: z.string().nullable(),
  resendOf: uuid.nullable().meta({ description: 'For a resend, the id of the original delivery.' }),
  httpStatus: z.int().nullable().meta({ description: 'Answer to the last attempt that was sent; null without one.' }),
  latencyMs: milliseconds.meta({ description: 'Duration of the same attempt, in milliseconds.' }),
}

export const delivery = z
  .object(deliveryFields)
  .meta({ id: 'Delivery', description: 'The delivery of one event to one endpoint.' })

export const deliveryPage = z
  .object({ items: z.array(delivery), nextCursor: z.string().nullable() })
  .meta({ id: 'DeliveryPage', description: 'Newest first. `nextCursor` is null on the last page.' })

export const attempt = z
  .object({
    number: z.int().min(1).max(5),
    state: z.enum(['STARTED', 'SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNSENT']),
    startedAt: instant,
    endedAt: instant.nullable(),
    cause: z.string().nullable().meta({
      description:
        'Class of what went wrong, such as `HTTP_STATUS`, `TIMEOUT` or `TLS_FAILED`; null for a success. Open.',
    }),
    explanation: z
      .object({
        cause: z.string(),
        nextStep: z.string(),
        registerUrl: z.string().nullable().meta({ description: 'For a redirect, the URL to register instead.' }),
      })
      .nullable()
      .meta({ description: 'Cause of the result and next step; null while in flight.' }),
    httpStatus: z.int().nullable(),
    address: z.string().nullable().meta({ description: 'Remote IP address of the connection.' }),
    timings: z
      .object({
        dnsMs: milliseconds,
        connectMs: milliseconds,
        tlsMs: milliseconds,
        firstByteMs: milliseconds,
        totalMs: milliseconds,
      })
      .nullable()
      .meta({ description: 'Milliseconds from the start of the attempt to the end of each stage.' }),
    responseHeaders: z.record(z.string(), z.string()),
    responseBody: z.string().nullable().meta({ description: 'The first 16 KiB, decoded as UTF-8.' }),
    keyVersion: z.int().nullable().meta({ description: 'Version of the API key that signed.' }),
  })
  .meta({ id: 'Attempt', description: 'One numbered attempt of a delivery.' })

export const deliveryDetail = z
  .object({
    ...deliveryFields,
    body: z.string().nullable().meta({ description: 'The exact body; null after it was erased.' }),
    curl: z
      .string()
      .nullable()
      .meta({
        description:
          'Shell command that sends the same body again, with `X-HMAC-Signature` and without the Standard Webhooks headers. ' +
          'Reads the API key from `$KYC_RELAY_API_KEY`.',
      }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'DeliveryDetail' })

const signedRequest = z
  .object({ method: z.literal('POST'), url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
  .meta({ id: 'SignedRequest', description: 'A request exactly as it would be sent.' })

export const testPreview = z.object({ request: signedRequest }).meta({ id: 'TestPreview' })

export const published = z
  .object({ eventId: uuid, deliveries: z.array(z.object({ deliveryId: uuid, endpointId: uuid })) })
  .meta({ id: 'Published' })

export const resent = z.object({ deliveryId: uuid }).meta({ id: 'Resent' })

export const problem = z
  .object({
    type: z.literal('about:blank'),
    title: z.string().meta({ description: 'Fixed text of the code.' }),
    status: z.int(),
    code: z.string().meta({ description: 'Stable code.' }),
    detail: z.string().optional().meta({ description: 'The broken rule, as a stable code.' }),
    oldest: z.string().optional().meta({ description: 'With `CURSOR_EXPIRED`, the cursor of what is kept.' }),
    requestId: z.string().meta({ description: 'Also in `X-Request-Id`.' }),
    violations: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string().optional() }))
      .optional()
      .meta({ description: 'JSON Pointers into the request, at most 50. Never a value.' }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' })
