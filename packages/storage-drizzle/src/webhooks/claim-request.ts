import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkedDurationMs } from '../checked-time.js'
import { StorageError } from '../storage-error.js'

export type ClaimRequest = Parameters<WebhookStore['claimDue']>[0]

/** @throws `ARGUMENT_INVALID` unless `limit` is a whole number that is not negative, and `leaseMs` a duration. */
export function checkedLease<T extends { readonly limit: number; readonly leaseMs: number }>(request: T): T {
  const { limit, leaseMs } = request
  if (!Number.isSafeInteger(limit) || limit < 0) throw new StorageError('ARGUMENT_INVALID')
  return { ...request, leaseMs: checkedDurationMs(leaseMs) }
}

/** @throws `ARGUMENT_INVALID` unless every count is a whole number that is not negative. */
export function checkedClaim(request: ClaimRequest): ClaimRequest {
  const { maxInFlight, keepForHealthy } = request
  const counts = [maxInFlight.healthy, maxInFlight.failing, keepForHealthy]
  if (counts.some((count) => !Number.isSafeInteger(count) || count < 0)) throw new StorageError('ARGUMENT_INVALID')
  return checkedLease(request)
}
