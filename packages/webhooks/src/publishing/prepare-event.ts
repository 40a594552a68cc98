import { WebhookError, type PreparationViolation } from '../delivery/webhook-error.js'
import type { Endpoint, PreparedEvent, WebhookStore, WithheldReason } from '../delivery/webhook-store.js'
import { standardEventTypes, type DescribedEventType, type EventTypes } from '../events/event-type-registry.js'
import type { EventName } from '../events/event-types.js'
import type { BodySealer } from '../sealing/body-sealer.js'
import { bytesToStore } from '../sealing/stored-bodies.js'
import { checkDeps, checkEventOwner, checkRequest } from './check-request.js'
import { fillCommonIdentifiers, type Identity } from './common-identifiers.js'
import { findGrants, scopesSuffice, wasGranted, type AppGrant, type GrantLookup, type ScopeRule } from './grants.js'
import { matchEndpoints } from './match-endpoints.js'
import { xEventIdOf } from './x-event-id.js'
import { plainJson } from './plain-json.js'

/** User and account id of a test event. */
export const nilUuid = '00000000-0000-0000-0000-000000000000'

/** An event to publish to an app. */
export interface EventInput {
  readonly appId: string
  readonly userId: string
  readonly eventType: EventName
  /** Payload. Missing common identifiers are filled in from the grant. */
  readonly data: Readonly<Record<string, unknown>>
  /** Id of the event at its source, not empty. A second publish with this id returns the original event. */
  readonly sourceEventId?: string | null
}

/** Dependencies of {@link prepareEvent}. */
export interface PrepareEventDeps {
  readonly grants: GrantLookup
  readonly endpoints: Pick<WebhookStore, 'listEndpoints'>
  /** Clock for `occurredAt`. */
  readonly now: () => Date
  /** Creates a UUID, preferably of version 7. */
  readonly newId: () => string
  /** Default `all`: the user must grant every scope of the type. */
  readonly scopeRule?: ScopeRule
  /** Seals the body for the store. Without it the body is stored in clear. Test events have no user and stay clear. */
  readonly bodySealer?: BodySealer
  /** Result of `createEventTypes`, for event types of your own. Default: the event types of the service. */
  readonly eventTypes?: Pick<EventTypes, 'find'>
}

/**
 * Prepares an event for the store: fills in the common identifiers, validates strictly, serialises once, and selects
 * the endpoints (docs/contract.md 8.1). With a `bodySealer` the body is sealed for the store.
 *
 * An event without a permitted or subscribed endpoint is prepared too, with `withheld` and without deliveries, so that
 * it is counted. Without a grant its body is not stored.
 *
 * @throws WebhookError `EVENT_TYPE_UNKNOWN`, `EVENT_INVALID` with its violations, `GRANTS_MISMATCH`, `ID_INVALID`,
 *   `OPTIONS_INVALID` for a missing dependency, an unknown name beside `data` or an empty `sourceEventId`,
 *   `BODIES_UNAVAILABLE` (retryable)
 *
 * @example
 * ```ts
 * import { prepareEvent, type PrepareEventDeps } from '@kyc-relay/webhooks/delivery'
 * import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
 *
 * async function publishDeposit(store: WebhookStore, deps: PrepareEventDeps, appId: string, userId: string) {
 *   const prepared = await prepareEvent(
 *     { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 }, sourceEventId: 'deposit-42' },
 *     deps,
 *   )
 *   return store.insertEvent(prepared)
 * }
 * ```
 */
export async function prepareEvent(input: EventInput, deps: PrepareEventDeps): Promise<PreparedEvent> {
  checkRequest(input, ['appId', 'userId', 'eventType', 'data', 'sourceEventId'])
  checkEventOwner(input)
  checkDeps(deps, ['grants', 'endpoints'])
  const { appId, userId, eventType, sourceEventId = null } = input
  const type = findType(eventType, deps.eventTypes)
  const [[grant = null], endpoints] = await Promise.all([
    findGrants(deps.grants, [{ appId, userId }]),
    deps.endpoints.listEndpoints(appId),
  ])

  // Without a grant no identifiers are known. The event is validated all the same: a malformed event is the publisher's
  // mistake.
  const body = serialise(type, input.data, () => grant ?? placeholderIdentity(appId, userId, input.data))
  // Of the endpoints of a lineage the first one gets the event: one that is paused only if all are.
  const isPaused = ({ pausedBy }: Endpoint) => pausedBy !== null
  const subscribed = matchEndpoints(endpoints, eventType)
  const matching = [...subscribed.filter((one) => !isPaused(one)), ...subscribed.filter(isPaused)]
  const withheld = withheldReason(type, grant, matching, deps.scopeRule)
  const eventId = deps.newId()
  const place = { appId, userId, part: 'event', recordId: eventId } as const
  return {
    eventId,
    appId,
    userId,
    type: eventType,
    occurredAt: deps.now(),
    body: await bytesToStore(place, wasGranted(withheld) ? body : new Uint8Array(), deps.bodySealer),
    test: false,
    sourceEventId,
    withheld,
    deliveries: withheld === null ? await newDeliveries(eventId, matching, deps.newId) : [],
  }
}

/**
 * Prepares a test event for one endpoint: the example of its type with the nil UUID as user and account id. It has the
 * header `X-Test-Event: true` and needs no grant.
 *
 * @throws WebhookError `EVENT_TYPE_UNKNOWN`, `ENDPOINT_NOT_FOUND`, `ID_INVALID`, `OPTIONS_INVALID` for a missing
 *   request or dependency
 *
 * @example
 * ```ts
 * import { prepareTestEvent, type PrepareEventDeps, type WebhookStore } from '@kyc-relay/webhooks/delivery'
 *
 * async function sendTest(store: WebhookStore, deps: PrepareEventDeps, appId: string, endpointId: string) {
 *   return store.insertEvent(await prepareTestEvent({ appId, endpointId, eventType: 'TRANSACTION_CREATE' }, deps))
 * }
 * ```
 */
export async function prepareTestEvent(
  input: {
    readonly appId: string
    readonly endpointId: string
    /** Event type. Default: the first type of the endpoint's subscription. */
    readonly eventType?: EventName
    /** Display name of the app, for payloads with that field. */
    readonly appName?: string
  },
  deps: Pick<PrepareEventDeps, 'endpoints' | 'now' | 'newId' | 'eventTypes'>,
): Promise<PreparedEvent> {
  checkRequest(input)
  checkDeps(deps, ['endpoints'])
  if (input.eventType !== undefined) findType(input.eventType, deps.eventTypes)
  const endpoints = await deps.endpoints.listEndpoints(input.appId)
  const endpoint = endpoints.find(({ endpointId }) => endpointId === input.endpointId)
  if (endpoint === undefined) throw new WebhookError('ENDPOINT_NOT_FOUND')
  const type = findType(input.eventType ?? endpoint.eventTypes?.[0] ?? 'WIDGET_KYC_INITIATION', deps.eventTypes)
  const identity: Identity = {
    appId: input.appId,
    appName: input.appName ?? 'Test',
    userId: nilUuid,
    accountId: nilUuid,
    externalReferenceId: 'test-user',
  }
  const filled = { ...type.example, ...fillCommonIdentifiers(type, {}, identity).payload }
  const eventId = deps.newId()
  return {
    eventId,
    appId: input.appId,
    userId: nilUuid,
    type: type.name,
    occurredAt: deps.now(),
    body: new TextEncoder().encode(plainJson(filled)),
    test: true,
    sourceEventId: null,
    withheld: null,
    deliveries: await newDeliveries(eventId, [endpoint], deps.newId),
  }
}

function findType(name: string, eventTypes: PrepareEventDeps['eventTypes'] = standardEventTypes): DescribedEventType {
  const type = eventTypes.find(name)
  if (type === undefined) throw new WebhookError('EVENT_TYPE_UNKNOWN')
  return type
}

function serialise(
  type: DescribedEventType,
  data: Readonly<Record<string, unknown>>,
  identify: () => Identity,
): Uint8Array {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw invalid([notAnObject])
  try {
    const { payload, violations } = fillCommonIdentifiers(type, data, identify())
    const parsed = type.parse(payload)
    const begins = type.name !== 'TRANSACTION_CREATE' || payload['status'] !== 'SETTLED'
    const all = [...violations, ...(parsed.ok ? [] : parsed.violations), ...(begins ? [] : [notPending])]
    if (!parsed.ok || all.length > 0) throw invalid(all)
    const text = plainJson(parsed.event)
    // A field `toJSON` can make anything of an object.
    if (!text.startsWith('{')) throw invalid([notAnObject])
    return new TextEncoder().encode(text)
  } catch (error) {
    // A getter or toJSON of the caller threw. Its message may hold a value and is dropped.
    throw error instanceof WebhookError ? error : invalid([notAnObject])
  }
}

/** A transaction begins as `PENDING` (docs/contract.md 8.5). */
const notPending: PreparationViolation = {
  pointer: '/status',
  code: 'ENUM',
  message: 'Not an allowed value. Allowed: PENDING.',
}
const notAnObject: PreparationViolation = { pointer: '', code: 'TYPE', message: 'This value has the wrong type.' }

function invalid(violations: readonly PreparationViolation[]): WebhookError {
  return new WebhookError('EVENT_INVALID', violations)
}

function withheldReason(
  type: DescribedEventType,
  grant: AppGrant | null,
  matching: readonly Endpoint[],
  rule: ScopeRule | undefined,
): WithheldReason | null {
  if (grant === null) return 'NO_GRANT'
  if (!scopesSuffice(type.scopes, grant.scopes, rule)) return 'SCOPE_NOT_GRANTED'
  return matching.length === 0 ? 'NO_ENDPOINT' : null
}

function newDeliveries(
  eventId: string,
  endpoints: readonly Endpoint[],
  newId: () => string,
): Promise<PreparedEvent['deliveries']> {
  return Promise.all(
    endpoints.map(async ({ endpointId, lineageId }) => ({
      deliveryId: newId(),
      endpointId,
      xEventId: await xEventIdOf(eventId, lineageId),
    })),
  )
}

/** Uses given values for unknown identifiers, so that only the other fields are validated. */
function placeholderIdentity(appId: string, userId: string, data: Readonly<Record<string, unknown>>): Identity {
  const given = (field: string, otherwise: string) => {
    const value = data[field]
    return typeof value === 'string' ? value : otherwise
  }
  return {
    appId,
    userId,
    appName: given('connectedAppName', ''),
    accountId: given('accountId', nilUuid),
    externalReferenceId: given('externalReferenceId', ''),
  }
}
