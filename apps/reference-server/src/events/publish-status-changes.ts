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
 * a crash the same events are published again under the same ids, which writes nothing. A change that fails stops only the
 * later changes of its user.
 *
 * @returns the number of changes; 0 if none are left
 * @throws the first error, after the changes of all other users
 */
export async function publishStatusChanges(deps: StatusChangesDeps): Promise<number> {
  const changes = await deps.outbox.listUnpublished({ limit: changesInAStep })
  const errors = new Map<string, unknown>()
  for (const change of changes) {
    if (errors.has(change.userId)) continue
    await publishChange(change, deps).catch((error: unknown) => errors.set(change.userId, error))
  }
  for (const error of errors.values()) throw error
  return changes.length
}

type StatusChange = Awaited<ReturnType<KycStatusOutbox['listUnpublished']>>[number]

async function publishChange(change: StatusChange, { outbox, users, webhooks, publish }: StatusChangesDeps) {
  const { userId, appId: submittedBy, verificationId, changeId, previous, next, changedAt, source } = change
  for (const appId of await users.listAppsOfUser(userId)) {
    const endpoints = await webhooks.listEndpoints(appId)
    if (!endpoints.some(({ eventTypes }) => eventTypes?.includes('KYC_STATUS_CHANGED'))) continue
    await publish({
      appId,
      userId,
      eventType: 'KYC_STATUS_CHANGED',
      sourceEventId: `kyc-status-${changeId}`,
      data: {
        previous,
        next,
        changedAt: changedAt.toISOString(),
        source,
        verificationId: appId === submittedBy ? verificationId : null,
      },
    })
  }
  await outbox.markPublished({ userId, changeId })
}
