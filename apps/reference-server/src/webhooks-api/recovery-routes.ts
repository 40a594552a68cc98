import { randomUUID } from 'node:crypto'
import {
  readFeed,
  type BodySealer,
  type FeedStore,
  type GrantLookup,
  type RecoveryStore,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import type { FeedPage } from '@kyc-relay/webhooks/internal'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import type { RecoveryCounter } from '../events/recovery-counter.js'
import { errorCode } from '../operations/log.js'
import { serveKnownTypes } from './known-event-types.js'
import { answer, serveOperation } from './operation.js'
import { presentFeedItem } from './webhook-presentation.js'
import { webhookOperations as operations } from './webhook-operations.js'

/** Dependencies of the routes of recoveries. */
export interface RecoveryRoutesDeps {
  readonly store: Pick<WebhookStore, 'listEndpoints'>
  readonly recoveries: RecoveryStore
  readonly countRecovery: RecoveryCounter
  readonly feed: FeedStore
  /** Age after which an event may lose its body, in milliseconds. */
  readonly bodyAgeMs: number
  readonly grants: GrantLookup
  readonly catalogue: Pick<EventCatalogue, 'eventTypes' | 'names'>
  readonly bodySealer: BodySealer
  readonly now: () => Date
}

/** Serves the feed, and recoveries: jobs that deliver what an endpoint missed. The worker does their steps. */
export function serveRecoveries(routes: Hono<EdgeEnv>, deps: RecoveryRoutesDeps): void {
  const { store, recoveries, countRecovery, grants, now } = deps
  const notFound = { refusal: { code: 'NOT_FOUND' } } as const

  serveKnownTypes(
    routes,
    deps.catalogue.names,
    operations.recoverEndpoint,
    async ({ appId, params: { endpointId }, body }) => {
      const endpoints = await store.listEndpoints(appId)
      if (!endpoints.some((one) => one.endpointId === endpointId)) return notFound
      const { since, until } = body
      const eventTypes = body.eventTypes?.length ? body.eventTypes : null
      const range = { appId, endpointId, since, eventTypes }
      if (body.dryRun === true) {
        const count = await countRecovery({ ...range, until: until ?? now() })
        if (count === 'running')
          return { refusal: { code: 'BAD_REQUEST', detail: 'RECOVERY_COUNT_RUNNING', status: 409 } }
        return answer(200, { matched: count.matched, skipped: { ...count.skipped } })
      }
      const recoveryId = randomUUID()
      const outcome = await recoveries.startRecovery({ ...range, recoveryId, until: until ?? null })
      if (outcome === 'not_found') return notFound
      if (outcome === 'running') return { refusal: { code: 'RECOVERY_RUNNING' } }
      const location = `/api/v1/webhooks/${endpointId}/recoveries/${recoveryId}`
      return answer(202, { recoveryId }, { location })
    },
  )

  serveOperation(routes, operations.getRecovery, async ({ appId, params: { recoveryId } }) => {
    const found = await recoveries.findRecovery({ appId, recoveryId })
    return found === null ? notFound : answer(200, { ...found, skipped: { ...found.skipped } })
  })

  serveOperation(routes, operations.stopRecovery, async ({ appId, params: { recoveryId } }) =>
    (await recoveries.stopRecovery({ appId, recoveryId })) ? answer(204) : notFound,
  )

  serveKnownTypes(
    routes,
    deps.catalogue.names,
    operations.readFeed,
    async ({ appId, query: { after = null, types = null, limit } }) => {
      const keptSince = new Date(now().getTime() - deps.bodyAgeMs)
      const page = await pageOf({ appId, after, eventTypes: types, keptSince, limit })
      if (page.outcome === 'invalid') return { refusal: { code: 'CURSOR_INVALID' } }
      if (page.outcome === 'unknown') return { refusal: { code: 'CURSOR_UNKNOWN' } }
      if (page.outcome === 'expired') return { refusal: { code: 'CURSOR_EXPIRED', oldest: page.oldest } }
      return answer(200, { items: page.items.map(presentFeedItem), nextCursor: page.nextCursor })
    },
  )

  async function pageOf(request: Parameters<typeof readFeed>[1]): Promise<FeedPage | { readonly outcome: 'invalid' }> {
    try {
      return await readFeed(
        {
          feed: deps.feed,
          webhooks: store,
          grants,
          bodySealer: deps.bodySealer,
          eventTypes: deps.catalogue.eventTypes,
        },
        request,
      )
    } catch (error) {
      if (errorCode(error) === 'CURSOR_INVALID') return { outcome: 'invalid' }
      throw error
    }
  }
}
