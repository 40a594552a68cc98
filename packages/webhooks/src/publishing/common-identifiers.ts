import type { PreparationViolation } from '../delivery/webhook-error.js'
import type { DescribedEventType } from '../events/event-type-registry.js'
import type { AppGrant } from './grants.js'

/** Identifiers that the service fills in. */
export type Identity = Omit<AppGrant, 'scopes'>

const uuidFields: ReadonlySet<string> = new Set(['userId', 'accountId', 'appId', 'connectedAppId'])

/**
 * Fills in the common identifiers. A given value must be equal to it (UUIDs in any letter case). Null equals absent.
 */
export function fillCommonIdentifiers(
  type: Pick<DescribedEventType, 'name' | 'filledFields'>,
  data: Readonly<Record<string, unknown>>,
  identity: Identity,
): { readonly payload: Record<string, unknown>; readonly violations: readonly PreparationViolation[] } {
  const known: Readonly<Record<string, string>> = {
    eventType: type.name,
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
  for (const field of type.filledFields) {
    const value = known[field]
    if (value === undefined) continue
    if (!agrees(field, data[field], value)) {
      violations.push({
        pointer: `/${field}`,
        code: 'IDENTIFIER_MISMATCH',
        message: 'The service fills in this field. Omit it, or send the same value.',
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
