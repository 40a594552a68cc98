import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { UserErasure } from '@kyc-relay/storage-drizzle/sqlite'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Publisher } from './publish.js'

const changesInAStep = 100

/** Dependencies of {@link publishStatusChanges}. */
export interface StatusChangesDeps {
  readonly outbox: KycStatusOutbox
  readonly users: Pick<UserErasure, 'listAppsOfUser'>
  readonly webhooks: Pick<WebhookStore, 'listEndpoints'>
  readonly publish: Publisher['publish']
}

/**
 * Publishes `KYC_STATUS_CHANGED` for the oldest changes, to each app of the user with an endpoint that names the type. After
 * a crash the same events are published again under the same ids, which writes nothing.
 *
 * @returns the number of changes; 0 if none are left
 */
export async function publishStatusChanges({ outbox, users, webhooks, publish }: StatusChangesDeps): Promise<number> {
  const changes = await outbox.listUnpublished({ limit: changesInAStep })
  for (const { userId, appId: submittedBy, verificationId, changeId, previous, next, changedAt, source } of changes) {
    for (const appId of await users.listAppsOfUser(userId)) {
      const endpoints = await webhooks.listEndpoints(appId)
      if (!endpoints.some(({ eventTypes }) => eventTypes?.includes('KYC_STATUS_CHANGED'))) continue
      await publish({
        ...{ appId, userId, eventType: 'KYC_STATUS_CHANGED', sourceEventId: `kyc-status-${changeId}` },
        data: {
          ...{ previous, next, changedAt: changedAt.toISOString(), source },
          verificationId: appId === submittedBy ? verificationId : null,
        },
      })
    }
    await outbox.markPublished({ userId, changeId })
  }
  return changes.length
}
