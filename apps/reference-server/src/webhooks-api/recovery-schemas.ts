import * as z from 'zod'
import { givenInstant } from '../http/instant-field.js'
import { pageLimit } from '../http/page-limit.js'
import { deliveryStatus, eventType, instant, uuid } from './webhook-schemas.js'

export const recoveryRequest = z
  .strictObject({
    since: givenInstant.meta({ description: 'Events from this time on, inclusive: RFC 3339 or ISO 8601.' }),
    until: givenInstant.nullish().meta({ description: 'Events before this time, in the same formats. Default: now.' }),
    eventTypes: z.array(eventType).max(100).nullish().meta({ description: 'Absent or empty: all of the endpoint.' }),
    dryRun: z.boolean().nullish().meta({ description: 'Count, and send nothing. Default false.' }),
  })
  .superRefine(({ since, until }, context) => {
    if (until == null || since < until) return
    context.addIssue({ code: 'too_small', origin: 'number', minimum: since.getTime(), path: ['until'], input: until })
  })
  .meta({ id: 'RecoveryRequest' })

const skipped = z
  .object({ acknowledged: z.int(), pending: z.int(), scope: z.int(), erased: z.int() })
  .meta({ description: 'Events that are not sent, by reason.' })
const matched = z.int().meta({ description: 'Events that were looked at.' })

export const recoveryCount = z.object({ matched, skipped }).meta({ id: 'RecoveryCount' })
export const recoveryStarted = z.object({ recoveryId: uuid }).meta({ id: 'RecoveryStarted' })
export const recovery = z
  .object({
    recoveryId: uuid,
    state: z.enum(['RUNNING', 'DONE', 'STOPPED']),
    matched,
    created: z.int().meta({ description: 'Deliveries that were made.' }),
    skipped,
  })
  .meta({ id: 'Recovery' })

/** Largest page of the feed. A larger `limit` is reduced to it. */
const maxFeedPage = 100

export const feedQuery = z.object({
  after: z.string().max(500).optional().meta({ description: '`nextCursor` of the previous page. Absent: the oldest.' }),
  types: z
    .string()
    .max(1000)
    .transform((text) => text.split(','))
    .pipe(z.array(eventType))
    .optional()
    .meta({
      override: { type: 'string' },
      description:
        'Event types, separated by commas. Absent: the standard types. Others are listed only if they are named.',
    }),
  limit: pageLimit(maxFeedPage, maxFeedPage),
})

export const feedPage = z
  .object({
    items: z.array(
      z.object({
        eventId: uuid,
        eventType,
        createdAt: instant,
        body: z.string().meta({ description: 'The exact text that webhooks carry.' }),
        deliveries: z
          .array(
            z.object({
              endpointId: uuid,
              xEventId: uuid,
              status: deliveryStatus.nullable().meta({
                description: 'Of the last delivery, or `DELIVERED` if any was acknowledged; null without one.',
              }),
            }),
          )
          .meta({ description: 'The `X-Event-ID` at each endpoint.' }),
      }),
    ),
    nextCursor: z.string().meta({ description: 'On every page, also on an empty one.' }),
  })
  .meta({ id: 'FeedPage' })
