import type { EventTypes } from '../events/event-type-registry.js'
import { WebhookError } from '../delivery/webhook-error.js'
import type { WithheldReason } from '../delivery/webhook-store.js'
import { isSameId } from './same-id.js'

/** Scopes that a user granted to an app, with the identifiers from the OAuth flow. */
export interface AppGrant {
  readonly appId: string
  /** Display name of the app, `connectedAppName` in payloads. */
  readonly appName: string
  readonly userId: string
  readonly accountId: string
  /** Identifier of the user in the app. */
  readonly externalReferenceId: string
  readonly scopes: readonly string[]
}

/** Looks up the grants of users to apps, possibly in another system. */
export interface GrantLookup {
  /**
   * Returns grants in the order of the request; null for a missing or revoked grant. A grant that names another app or
   * user than the one asked for is an error (`GRANTS_MISMATCH`), and nothing is sent.
   */
  find(pairs: readonly { readonly appId: string; readonly userId: string }[]): Promise<readonly (AppGrant | null)[]>
}

/** Checks whether a grant is the one that was asked for, and lists scopes. A missing grant names nobody. */
export function isGrantOf(grant: AppGrant | null, asked: { readonly appId: string; readonly userId: string }): boolean {
  if (grant === null) return true
  return isSameId(grant.appId, asked.appId) && isSameId(grant.userId, asked.userId) && Array.isArray(grant.scopes)
}

/**
 * Looks up grants, and checks that each is the one that was asked for.
 *
 * @throws WebhookError `GRANTS_MISMATCH`
 */
export async function findGrants(
  grants: GrantLookup,
  pairs: readonly { readonly appId: string; readonly userId: string }[],
): Promise<readonly (AppGrant | null)[]> {
  if (pairs.length === 0) return []
  const found = await grants.find(pairs)
  const isAnswer = found.length === pairs.length && pairs.every((asked, index) => isAnswerTo(found[index], asked))
  if (!isAnswer) throw new WebhookError('GRANTS_MISMATCH')
  return found
}

const isAnswerTo = (grant: AppGrant | null | undefined, asked: { readonly appId: string; readonly userId: string }) =>
  grant !== undefined && isGrantOf(grant, asked)

/** `all`: an event needs every scope of its type. `any`: it needs one of them. */
export type ScopeRule = 'all' | 'any'

/** Checks whether an event of a type may be sent. An unknown type never is: nobody knows what it needs. */
export function isGranted(
  eventTypes: Pick<EventTypes, 'find'>,
  type: string,
  granted: readonly string[],
  rule: ScopeRule = 'all',
): boolean {
  const described = eventTypes.find(type)
  return described !== undefined && scopesSuffice(described.scopes, granted, rule)
}

/** Checks whether granted scopes include the required ones. Scopes compare exactly. */
export function scopesSuffice(
  required: readonly string[],
  granted: readonly string[],
  rule: ScopeRule = 'all',
): boolean {
  // An unknown rule is the strict one.
  return rule === 'any'
    ? required.some((scope) => granted.includes(scope))
    : required.every((scope) => granted.includes(scope))
}

/** Checks whether the grant allowed an event when it was published, although no endpoint may have taken it then. */
export const wasGranted = (withheld: WithheldReason | null): boolean => withheld === null || withheld === 'NO_ENDPOINT'
