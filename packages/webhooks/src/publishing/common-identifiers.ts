import type { PreparationViolation } from '../delivery/webhook-error.js'
import type { EventType } from '../events/event-types.js'
import type { AppGrant } from './grants.js'

/** What the service knows about an event without being told. */
export type Identity = Omit<AppGrant, 'scopes'>

/** Fields that the service fills, by event type; `TRANSACTION_DECLINE` carries no `eventType` (docs/contract.md 8.4). */
const filledFields: Readonly<Record<EventType, readonly string[]>> = {
  WIDGET_KYC_INITIATION: ['eventType', 'userId', 'accountId', 'externalReferenceId', 'appId'],
  WIDGET_DEPOSIT_COMPLETE: ['eventType', 'userId', 'accountId', 'externalReferenceId', 'appId'],
  WIDGET_WITHDRAW_COMPLETE: ['eventType', 'userId', 'accountId', 'externalReferenceId', 'appId'],
  TRANSACTION_CREATE: ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName'],
  TRANSACTION_UPDATE: ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName'],
  TRANSACTION_DECLINE: ['userId', 'accountId', 'status'],
}

const uuidFields: ReadonlySet<string> = new Set(['userId', 'accountId', 'appId', 'connectedAppId'])

/**
 * Fills the common identifiers in. A value that was given must agree with the one filled in (UUIDs in any letter case);
 * null and absent are the same.
 */
export function fillCommonIdentifiers(
  type: EventType,
  data: Readonly<Record<string, unknown>>,
  identity: Identity,
): { readonly payload: Record<string, unknown>; readonly violations: readonly PreparationViolation[] } {
  const known: Readonly<Record<string, string>> = {
    eventType: type,
    userId: identity.userId,
    accountId: identity.accountId,
    externalReferenceId: identity.externalReferenceId,
    appId: identity.appId,
    connectedAppId: identity.appId,
    connectedAppName: identity.appName,
    status: 'DECLINED',
  }
  const payload: Record<string, unknown> = { ...data }
  const violations: PreparationViolation[] = []
  for (const field of filledFields[type]) {
    const value = known[field]
    if (value === undefined) continue
    if (!agrees(field, data[field], value)) {
      violations.push({
        pointer: `/${field}`,
        code: 'IDENTIFIER_MISMATCH',
        message: 'This field is filled by the service; a value given for it must be the same.',
      })
    }
    payload[field] = value
  }
  return { payload, violations }
}

function agrees(field: string, given: unknown, filled: string): boolean {
  if (given === undefined || given === null || given === filled) return true
  return uuidFields.has(field) && typeof given === 'string' && given.toLowerCase() === filled.toLowerCase()
}
