import * as z from 'zod'
import { defineOperation, type RefusalNote } from '../webhooks-api/operation.js'
import { eventType } from '../webhooks-api/webhook-schemas.js'
import { eventData, id, sourceEventId, transactionData } from './field-schemas.js'
import { base, uuid, notFound, bodyInvalid, conflict } from './operation-parts.js'

const published = z
  .object({
    eventId: uuid,
    deliveries: z.array(z.object({ deliveryId: uuid, endpointId: uuid })),
    withheld: z.string().optional().meta({ description: 'Reason of an event that goes to nobody.' }),
    duplicate: z.boolean().optional(),
  })
  .meta({ id: 'PublishedEvent' })

const moved = published
  .extend({ transactionId: uuid, status: z.enum(['PENDING', 'SETTLED', 'DECLINED']) })
  .meta({ id: 'MovedTransaction' })

const newTransaction = z.strictObject({
  appId: id,
  userId: id,
  transactionId: id.nullish(),
  data: transactionData,
  sourceEventId,
})

const eventRefused: readonly RefusalNote[] = [
  bodyInvalid,
  { status: 400, code: 'BAD_REQUEST', detail: 'EVENT_INVALID', when: 'The payload is invalid; see `violations`.' },
  { status: 409, code: 'SOURCE_EVENT_ID_CONFLICT', when: 'The `sourceEventId` belongs to another event.' },
]
const moveRefused: readonly RefusalNote[] = [
  ...eventRefused,
  conflict('TRANSACTION_EXISTS', 'There is a transaction with this id.'),
  conflict(
    'TRANSITION_NOT_ALLOWED',
    'The transaction cannot go from its status to this one, or the update changes nothing.',
  ),
]

const times =
  'A time with seconds and `Z` or an offset (RFC 3339) is sent as it was given. Any other is read like `decisionedAt` and sent in UTC.'

const publishEvent = defineOperation({
  id: 'publishEvent',
  method: 'post',
  path: `${base}/events`,
  right: 'service',
  tag: 'Events',
  summary: 'Publish an event',
  description:
    'The service fills the identifiers of the user. It publishes `KYC_STATUS_CHANGED` itself. For the times of `TRANSACTION_…` events see `createTransaction`. The data of other types is not changed.',
  body: z.strictObject({ appId: id, userId: id, eventType, data: eventData, sourceEventId }),
  answers: { 202: { description: 'Published or withheld.', schema: published } },
  refusals: eventRefused,
})

const createTransaction = defineOperation({
  id: 'createTransaction',
  method: 'post',
  path: `${base}/transactions`,
  right: 'service',
  tag: 'Events',
  summary: 'Create a transaction',
  description: `Publishes \`TRANSACTION_CREATE\`. ${times}`,
  body: newTransaction,
  answers: { 201: { description: 'Created.', schema: moved } },
  refusals: moveRefused,
})

const declineTransaction = defineOperation({
  id: 'declineTransaction',
  method: 'post',
  path: `${base}/transactions/decline`,
  right: 'service',
  tag: 'Events',
  summary: 'Decline a transaction',
  description: `Of a known or a new transaction. Publishes \`TRANSACTION_DECLINE\`. ${times}`,
  body: newTransaction,
  answers: { 201: { description: 'Declined.', schema: moved } },
  refusals: moveRefused,
})

const updateTransaction = defineOperation({
  id: 'updateTransaction',
  method: 'patch',
  path: `${base}/transactions/{transactionId}`,
  right: 'service',
  tag: 'Events',
  summary: 'Update or settle a transaction',
  description: `Publishes \`TRANSACTION_UPDATE\`. ${times}`,
  body: z.strictObject({
    appId: id.nullish(),
    userId: id.nullish(),
    status: z.string().nullish().meta({ description: '`PENDING` or `SETTLED`.' }),
    data: transactionData.nullish(),
    sourceEventId,
  }),
  answers: { 200: { description: 'Updated.', schema: moved } },
  refusals: [...moveRefused, { ...notFound, detail: 'TRANSACTION_UNKNOWN' }],
})

/** Operations for the services that publish events and transactions. */
export const eventOperations = { publishEvent, createTransaction, updateTransaction, declineTransaction }
