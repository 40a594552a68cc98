import { eventTypes, type EventType } from '@kyc-relay/webhooks'
import { allEventTypes, type EventTypes } from '@kyc-relay/webhooks/internal'
import { createEventTypes, eventCatalogue, type OwnEventType } from '@kyc-relay/webhooks/events'
import { eventJsonSchema, ownEventJsonSchema, type Json } from './event-json-schema.js'

/** An event type as partners see it. */
export interface CatalogueType {
  readonly name: string
  /** When an event is sent, with `code` marks. */
  readonly meaning: string
  /** Scopes that the user must have granted. */
  readonly scopes: readonly string[]
  /** True if only endpoints that name it get it. */
  readonly optIn: boolean
  readonly example: object
  /** JSON Schema 2020-12 of the body. */
  readonly schema: Json
}

/** An event type of the operator's own, from `EVENT_TYPES_FILE`. */
export interface OwnCatalogueType {
  readonly type: OwnEventType
  readonly meaning: string
  readonly schema: Json
}

/** The event types of this server. */
export interface EventCatalogue {
  /** For publishing and delivery. */
  readonly eventTypes: EventTypes<readonly OwnEventType[]>
  /** All types, those that are turned off included. */
  readonly all: readonly CatalogueType[]
  /** Types that endpoints can subscribe to. */
  readonly offered: readonly CatalogueType[]
  /** Names of `all`. */
  readonly names: readonly string[]
  /** Names that services publish under: all but `KYC_STATUS_CHANGED`, which the server publishes itself. */
  readonly publishable: readonly string[]
}

/** When an event of each type is sent (docs/contract.md 8.1). */
const meanings: Readonly<Record<EventType, string>> = {
  WIDGET_KYC_INITIATION: 'A user starts KYC in the widget.',
  WIDGET_DEPOSIT_COMPLETE: 'A user sent money into the app.',
  WIDGET_WITHDRAW_COMPLETE: 'A user took money out of the app.',
  TRANSACTION_CREATE: 'A transaction begins. Its status is `PENDING`.',
  TRANSACTION_UPDATE: 'A transaction changed. Its status is `PENDING` or `SETTLED`.',
  TRANSACTION_DECLINE: 'A transaction is declined.',
  KYC_STATUS_CHANGED:
    'The KYC status of a user changed. Only if the operator turned this type on, and to endpoints that name it.',
}

const standardType = (name: EventType): CatalogueType => {
  const { scopes, example, schema } = eventCatalogue[name]
  const optIn = !(eventTypes as readonly string[]).includes(name)
  return { name, meaning: meanings[name], scopes, optIn, example, schema: eventJsonSchema(schema) }
}

/**
 * Creates the catalogue: the types of the service, and those of the operator's own.
 *
 * @throws WebhookError `EVENT_TYPES_INVALID`
 */
export function createEventCatalogue({
  kycStatusEvents = true,
  own = [],
}: { readonly kycStatusEvents?: boolean; readonly own?: readonly OwnCatalogueType[] } = {}): EventCatalogue {
  const registry = createEventTypes(own.map(({ type }) => type))
  const ownTypes = own.map(({ type: { name, scopes }, meaning, schema }) => ({
    name,
    meaning,
    scopes,
    optIn: true,
    example: registry.find(name)?.example ?? {},
    schema: ownEventJsonSchema(name, schema),
  }))
  const all = [...allEventTypes.map(standardType), ...ownTypes]
  return {
    eventTypes: registry,
    all,
    offered: kycStatusEvents ? all : all.filter(({ name }) => name !== 'KYC_STATUS_CHANGED'),
    names: registry.names,
    publishable: registry.names.filter((name) => name !== 'KYC_STATUS_CHANGED'),
  }
}
