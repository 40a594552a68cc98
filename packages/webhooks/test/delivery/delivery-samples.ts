import { resultOfCause, type SendResult } from '../../src/delivery/sender.js'
import type { Endpoint, PreparedEvent, WebhookStore } from '../../src/delivery/webhook-store.js'
import type { AppGrant, GrantLookup } from '../../src/publishing/grants.js'
import type { SigningKeys } from '../../src/delivery/signing-keys.js'

export const appId = '0a000000-0000-4000-8000-00000000000a'
export const userId = '01000000-0000-4000-8000-000000000001'

export const grant: AppGrant = {
  appId,
  appName: 'Example Wallet',
  userId,
  accountId: '0c000000-0000-4000-8000-00000000000c',
  externalReferenceId: 'customer-1042',
  scopes: ['VERIFY_KYC', 'MAKE_PAYOUT_SEND', 'MAKE_PAYOUT_RECEIVE', 'LIST_PAYMENT', 'LIST_PURCHASES'],
}

export const allGranted: GrantLookup = {
  find: async (pairs) => pairs.map((pair) => ({ ...grant, ...pair })),
}

export const oneKey: SigningKeys = {
  current: async (appIds) => appIds.map((appId) => ({ appId, key: 'fz_live_example', version: 7 })),
}

export const accepted: SendResult = { ...resultOfCause('HTTP_STATUS'), cause: null, status: 200 }
export const refused: SendResult = { ...resultOfCause('HTTP_STATUS'), status: 500 }

let last = 0
export const newId = () => `00000000-0000-4000-8000-${String((last += 1)).padStart(12, '0')}`

export async function registerEndpoint(store: WebhookStore, fields: Partial<Endpoint> = {}): Promise<Endpoint> {
  const endpointId = newId()
  const endpoint: Endpoint = {
    endpointId,
    appId,
    url: `https://partner.example.com/webhooks/${endpointId}`,
    lineageId: endpointId,
    description: null,
    headers: null,
    pausedBy: null,
    eventTypes: null,
    standardWebhooks: false,
    createdAt: new Date('2026-01-01T00:00:00Z'),
    ...fields,
  }
  await store.registerEndpoint(endpoint, 1_000_000)
  return endpoint
}

export async function publish(
  store: WebhookStore,
  endpoints: readonly Endpoint[],
  fields: Partial<PreparedEvent> = {},
): Promise<PreparedEvent> {
  const event: PreparedEvent = {
    eventId: newId(),
    appId,
    userId,
    type: 'WIDGET_DEPOSIT_COMPLETE',
    occurredAt: new Date('2026-03-01T12:00:00Z'),
    body: new TextEncoder().encode('{"amount":100.5}'),
    test: false,
    sourceEventId: null,
    withheld: null,
    deliveries: endpoints.map(({ endpointId }) => ({ deliveryId: newId(), endpointId, xEventId: newId() })),
    ...fields,
  }
  await store.insertEvent(event)
  return event
}
