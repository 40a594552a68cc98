import { expect } from 'vitest'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../src/app-directory.js'
import type { Retention } from '../src/retention.js'
import { claimRequest, endpoint, event, report, startOfTests, uuid } from './samples.js'

/** What an engine opens for one case: its stores on empty data, and its clock. */
export interface OpenedForRetention {
  readonly webhooks: WebhookStore
  readonly apps: AppDirectory
  readonly verifications: VerificationStore
  readonly retention: Retention
  advance(ms: number): void
}

const day = 86_400_000
const hook = endpoint('a')
const { appId } = hook

async function deliver(webhooks: WebhookStore): Promise<void> {
  const { claimed } = await webhooks.claimDue(claimRequest)
  await webhooks.settle(
    claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
  )
}

export const retentionCases: readonly { readonly name: string; run(opened: OpenedForRetention): Promise<void> }[] = [
  {
    name: 'blanks bodies, then removes attempts, when they are old; the log stays',
    async run({ webhooks, retention, advance }) {
      await webhooks.registerEndpoint(hook, 5)
      await webhooks.insertEvent(event('one', [hook]))
      await deliver(webhooks)
      const request = { appId, deliveryId: uuid(`delivery one ${hook.endpointId}`) }
      advance(30 * day)
      expect(await retention.removeOld()).toMatchObject({ bodiesBlanked: 0, attemptsRemoved: 0, more: false })
      advance(1)
      expect(await retention.removeOld()).toMatchObject({ bodiesBlanked: 1, attemptsRemoved: 0 })
      expect(await webhooks.findDelivery(request)).toMatchObject({
        state: 'DELIVERED',
        body: new Uint8Array(),
        attempts: [{ number: 1 }],
      })
      expect(await webhooks.resendDelivery({ ...request, newDeliveryId: uuid('again') })).toBe('not_found')
      advance(60 * day)
      expect(await retention.removeOld()).toMatchObject({ bodiesBlanked: 0, attemptsRemoved: 1 })
      expect(await webhooks.findDelivery(request)).toMatchObject({ state: 'DELIVERED', attemptsMade: 1, attempts: [] })
      expect(await retention.removeOld()).toMatchObject({ bodiesBlanked: 0, attemptsRemoved: 0 })
    },
  },
  {
    name: 'leaves what is pending, however old',
    async run({ webhooks, retention, advance }) {
      await webhooks.registerEndpoint(hook, 5)
      await webhooks.registerEndpoint(endpoint('b'), 5)
      await webhooks.insertEvent(event('one', [hook, endpoint('b')]))
      const { claimed } = await webhooks.claimDue(claimRequest)
      const retry = claimed.map(({ fence }, index) => ({
        fence,
        attempt: { state: 'FAILED' as const, report },
        next: index === 0 ? ({ state: 'FAILED' } as const) : ({ state: 'PENDING', delayMs: 1_000 } as const),
      }))
      await webhooks.settle(retry)
      advance(400 * day)
      expect(await retention.removeOld()).toMatchObject({ bodiesBlanked: 0, attemptsRemoved: 1 })
      const again = await webhooks.claimDue(claimRequest)
      expect(again.claimed.map(({ fence, body }) => [fence.attempt, body.byteLength > 0])).toEqual([[2, true]])
    },
  },
  {
    name: 'works in bounded steps, oldest first',
    async run({ webhooks, retention, advance }) {
      await webhooks.registerEndpoint(hook, 5)
      for (let n = 0; n < 5; n++) {
        await webhooks.insertEvent(event(`e${n}`, [hook]))
        await deliver(webhooks)
        advance(1_000)
      }
      advance(91 * day)
      const steps = []
      do steps.push(await retention.removeOld({ limit: 2 }))
      while (steps.at(-1)?.more === true)
      expect(steps.map(({ bodiesBlanked, attemptsRemoved }) => [bodiesBlanked, attemptsRemoved])).toEqual([
        [2, 2],
        [2, 2],
        [1, 1],
      ])
      await expect(retention.removeOld({ limit: 0 })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    },
  },
  {
    name: 'removes access tokens a while after they expired',
    async run({ apps, retention, advance }) {
      const key = {
        version: 1,
        hash: new Uint8Array(32),
        sealed: new Uint8Array(1),
        createdAt: startOfTests,
        signsFrom: startOfTests,
      }
      await apps.createApp({ appId, name: 'a', firstKey: { appId, ...key, retiredAt: null } })
      await apps.putGrant({
        appId,
        userId: uuid('user'),
        accountId: uuid('account'),
        externalReferenceId: 'r',
        scopes: [],
      })
      const expiresAt = new Date(startOfTests.getTime() + 1_000)
      await apps.addAccessToken({ hash: new Uint8Array(32), appId, userId: uuid('user'), scopes: [], expiresAt })
      advance(7 * day + 1_000)
      expect(await retention.removeOld()).toMatchObject({ accessTokensRemoved: 0 })
      advance(1)
      expect(await retention.removeOld()).toMatchObject({ accessTokensRemoved: 1 })
    },
  },
]
