import {
  prepareTestEvent,
  WebhookError,
  type Endpoint,
  type PreparedEvent,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import type { EventCatalogue } from '../events/event-catalogue.js'
import type { Publisher } from '../events/publish.js'
import type { ApiKeys } from '../identity/api-keys.js'
import { shownHeaders } from './shown-headers.js'

/** A request exactly as sent, including the headers of the HTTP client. */
export interface PreviewedRequest {
  readonly method: 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A prepared test event. */
export interface PreparedTest {
  readonly endpoint: Endpoint
  readonly event: PreparedEvent
}

/** Dependencies of test events. */
export interface TestEventDeps {
  readonly apiKeys: Pick<ApiKeys, 'current'>
  readonly store: Pick<WebhookStore, 'listEndpoints'>
  readonly findAppName: (appId: string) => Promise<string | null>
  readonly now: () => Date
  readonly newId: () => string
  readonly publisher: Pick<Publisher, 'insert'>
  readonly eventTypes: EventCatalogue['eventTypes']
}

/** Prepares, shows and sends test events. */
export interface TestEvents {
  /** Prepares a test event; null when the app does not have this endpoint. */
  prepare(request: {
    readonly appId: string
    readonly endpointId: string
    readonly eventType?: string | null
  }): Promise<PreparedTest | null>
  /** Returns the request that would be sent now. The value of a static header is shown as `$NAME`. */
  preview(test: PreparedTest): Promise<PreviewedRequest>
  send(test: PreparedTest): ReturnType<Publisher['insert']>
}

/** Creates test events over the store of real events, so that they behave like real events. */
export function createTestEvents(deps: TestEventDeps): TestEvents {
  return {
    async prepare({ appId, endpointId, eventType }) {
      const endpoint = (await deps.store.listEndpoints(appId)).find((one) => one.endpointId === endpointId)
      if (endpoint === undefined) return null
      const appName = (await deps.findAppName(appId)) ?? undefined
      const { now, newId, eventTypes } = deps
      try {
        const event = await prepareTestEvent(
          { appId, endpointId, ...(eventType ? { eventType } : {}), ...(appName ? { appName } : {}) },
          { endpoints: { listEndpoints: async () => [endpoint] }, now, newId, eventTypes },
        )
        return { endpoint, event }
      } catch (error) {
        if (error instanceof WebhookError && error.code === 'ENDPOINT_NOT_FOUND') return null
        throw error
      }
    },
    async preview({ endpoint, event }) {
      const [key] = await deps.apiKeys.current([event.appId])
      const { url, standardWebhooks } = endpoint
      const headers = await shownHeaders(
        {
          url,
          standardWebhooks,
          headerNames: endpoint.headers?.names ?? [],
          xEventId: event.deliveries[0]?.xEventId ?? event.eventId,
          test: event.test,
          body: event.body,
        },
        { secret: key?.key ?? '', now: deps.now() },
      )
      return { method: 'POST', url, headers, body: new TextDecoder().decode(event.body) }
    },
    send: ({ event }) => deps.publisher.insert(event),
  }
}
