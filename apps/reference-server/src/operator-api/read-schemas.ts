import * as z from 'zod'
import { deliveryStatus, eventType, instant, maxPageSize } from '../webhooks-api/webhook-schemas.js'
import { pageLimit } from '../http/page-limit.js'
import { isStorable } from '../http/stored-text.js'
import { id } from './field-schemas.js'

const uuid = z.guid()

const paging = {
  cursor: z.string().max(2_000).optional().meta({ description: '`nextCursor` of the previous page.' }),
  limit: pageLimit(maxPageSize, 50),
}

const appId = id.optional().meta({ description: 'Only of this app.' })

export const appsQuery = z.strictObject(paging)
export const usersQuery = z.strictObject({
  externalReferenceId: z
    .string()
    .max(255)
    .refine(isStorable)
    .optional()
    .meta({ description: 'Only users whom the app calls this.' }),
  ...paging,
})
export const deliveriesQuery = z.strictObject({
  appId,
  endpointId: id.optional().meta({ description: 'Only to this endpoint.' }),
  eventType: eventType.optional(),
  status: deliveryStatus.optional(),
  ...paging,
})
export const withheldQuery = z.strictObject({ appId, ...paging })
export const queueQuery = z.strictObject({ appId, ...paging })
export const duplicatesQuery = z.strictObject({
  appId: id.meta({ description: 'The app.' }),
  ...paging,
  limit: pageLimit(100, 100),
})
export const auditQuery = z.strictObject({
  log: z
    .enum(['stores', 'vault'])
    .default('stores')
    .meta({ description: 'The log of the business data or of the vault.' }),
  appId,
  userId: id.optional().meta({ description: 'Only about this user.' }),
  ...paging,
})

function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  return z
    .object({
      items: z.array(item),
      nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
    })
    .meta({ id: name })
}

export const appPage = pageOf('AppPage', z.object({ appId: uuid, name: z.string() }).meta({ id: 'App' }))

export const grant = z
  .object({
    appId: uuid,
    userId: uuid,
    accountId: uuid,
    externalReferenceId: z.string(),
    scopes: z.array(z.string()),
  })
  .meta({ id: 'Grant' })

export const userPage = pageOf('UserPage', grant)

export const transaction = z
  .object({
    transactionId: uuid,
    appId: uuid,
    userId: uuid,
    status: z.enum(['PENDING', 'SETTLED', 'DECLINED']),
    revision: z.int().meta({ description: 'Number of moves so far.' }),
    movedAt: instant,
    moves: z
      .array(
        z.object({
          revision: z.int(),
          status: z.enum(['PENDING', 'SETTLED', 'DECLINED']),
          eventId: uuid,
          createdAt: instant,
        }),
      )
      .meta({ description: 'In order.' }),
  })
  .meta({ id: 'Transaction' })

export const deliveryPage = pageOf(
  'DeliveryOfAnyAppPage',
  z
    .object({
      deliveryId: uuid,
      appId: uuid,
      endpointId: uuid,
      userId: uuid,
      eventId: uuid,
      xEventId: uuid,
      eventType,
      status: deliveryStatus,
      createdAt: instant,
      endedAt: instant.nullable(),
      cancelReason: z.string().nullable(),
      httpStatus: z.int().nullable().meta({ description: 'Of the last attempt that was sent.' }),
      resendOf: uuid.nullable(),
    })
    .meta({ id: 'DeliveryOfAnyApp' }),
)

export const withheldPage = pageOf(
  'WithheldEventPage',
  z
    .object({
      eventId: uuid,
      appId: uuid,
      userId: uuid,
      eventType,
      reason: z.enum(['SCOPE_NOT_GRANTED', 'NO_GRANT', 'NO_ENDPOINT']),
      createdAt: instant,
    })
    .meta({ id: 'WithheldEvent' }),
)

export const queuePage = pageOf(
  'QueuePage',
  z
    .object({
      appId: uuid,
      endpointId: uuid,
      waiting: z.int().meta({ description: 'Deliveries that wait, due now or later. Counted up to 10,000.' }),
      inFlight: z.int().meta({ description: 'Attempts in flight.' }),
      oldestDueAt: instant.nullable(),
      paused: z.boolean(),
      failingSince: instant.nullable(),
    })
    .meta({ id: 'EndpointQueue' }),
)

export const auditPage = pageOf(
  'AuditEntryPage',
  z
    .object({
      log: z.enum(['stores', 'vault']),
      chain: z.int(),
      sequence: z.int(),
      kind: z.string().meta({ description: 'What happened, for example `GRANT_GIVEN`.' }),
      at: instant,
      appId: z.string().nullable(),
      userId: z.string().nullable(),
      subject: z.string().meta({ description: 'What it happened to; its meaning depends on the kind.' }),
      actor: z.string().nullable(),
      reason: z.string().nullable(),
    })
    .meta({ id: 'AuditEntry' }),
)
