import { expect } from 'vitest'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { UserErasure } from '../src/user-erasure.js'
import { claimRequest, endpoint, event, report, submission, transactionMove, uuid } from './samples.js'

/** What an engine opens for one case: its stores on empty data. */
export interface OpenedForErasure {
  readonly users: UserErasure
  readonly webhooks: WebhookStore
  readonly transactions: TransactionStore
  readonly verifications: VerificationStore
}

const hook = endpoint('a')
const owner = { appId: uuid('app'), userId: uuid('user') }
const nothing = { deliveriesCancelled: 0, bodiesBlanked: 0, transactionsBlanked: 0, photoJobIds: [], photosErased: 0 }

const deliveryOf = (name: string) => ({ appId: owner.appId, deliveryId: uuid(`delivery ${name} ${hook.endpointId}`) })

/** What a `UserErasure` must do, for every engine. */
export const userErasureCases: readonly { readonly name: string; run(opened: OpenedForErasure): Promise<void> }[] = [
  {
    name: 'blanks what rows outside the vault say, once, and keeps the records',
    async run({ users, webhooks, transactions, verifications }) {
      await webhooks.registerEndpoint(hook, 50)
      await webhooks.insertEvent(event('one', [hook]))
      await webhooks.insertEvent({ ...event('other', [hook]), userId: uuid('other user') })
      await transactions.moveTransaction(transactionMove('one', [hook]))
      await verifications.record(submission('one'))

      expect(await users.eraseUser(owner)).toEqual({
        deliveriesCancelled: 2,
        bodiesBlanked: 2,
        transactionsBlanked: 1,
        photoJobIds: [uuid('photo one')],
        photosErased: 0,
        verificationsKept: 1,
      })
      const { items } = await webhooks.listDeliveries({ appId: owner.appId, limit: 10 })
      const states = items.map(({ userId, state, cancelReason }) => [userId === owner.userId, state, cancelReason])
      expect(states).toEqual([
        [true, 'CANCELLED', 'USER_ERASED'],
        [false, 'PENDING', null],
        [true, 'CANCELLED', 'USER_ERASED'],
      ])
      for (const { deliveryId, userId } of items) {
        const found = await webhooks.findDelivery({ appId: owner.appId, deliveryId })
        expect(found?.body.byteLength === 0).toBe(userId === owner.userId)
      }
      const { transactionId } = transactionMove('one', [])
      const { transaction } = await transactions.findTransaction({ transactionId, appId: null, sourceEventId: null })
      expect(transaction).toMatchObject({ state: 'PENDING', revision: 1, fields: null })
      expect(await verifications.listVerifications(owner, { limit: 10 })).toMatchObject({
        items: [{ countryCode: 'US' }],
      })
      // Named again, so that an erasure that broke off before the photos were removed is finished by repeating it.
      const photoJobIds = [uuid('photo one')]
      expect(await users.eraseUser(owner)).toEqual({ ...nothing, photoJobIds, verificationsKept: 1 })
    },
  },
  {
    name: 'blanks the answers of receivers, and lets the attempt under way be the last',
    async run({ users, webhooks }) {
      await webhooks.registerEndpoint(hook, 50)
      await webhooks.insertEvent(event('ended', [hook]))
      const [ended] = (await webhooks.claimDue(claimRequest)).claimed
      if (ended === undefined) throw new Error('nothing was claimed')
      await webhooks.settle([
        { fence: ended.fence, attempt: { state: 'FAILED', report }, next: { state: 'PENDING', delayMs: 60_000 } },
      ])
      expect((await webhooks.findDelivery(deliveryOf('ended')))?.attempts[0]?.report?.responseBody).not.toBeNull()
      await webhooks.insertEvent(event('under way', [hook]))
      const [underWay] = (await webhooks.claimDue(claimRequest)).claimed
      if (underWay === undefined) throw new Error('nothing was claimed')

      expect(await users.eraseUser(owner)).toEqual({
        ...nothing,
        deliveriesCancelled: 2,
        bodiesBlanked: 2,
        verificationsKept: 0,
      })
      const blanked = await webhooks.findDelivery(deliveryOf('ended'))
      expect(blanked).toMatchObject({ state: 'CANCELLED', attempts: [{ report: { responseBody: null, status: 500 } }] })
      const retry = { state: 'PENDING', delayMs: 1_000 } as const
      await webhooks.settle([{ fence: underWay.fence, attempt: { state: 'FAILED', report }, next: retry }])
      expect(await webhooks.findDelivery(deliveryOf('under way'))).toMatchObject({
        state: 'CANCELLED',
        cancelReason: 'USER_ERASED',
      })
      expect((await webhooks.claimDue(claimRequest)).claimed).toEqual([])
    },
  },
  {
    name: 'lists every app that holds anything of the user, whatever it is',
    async run({ users, webhooks, transactions, verifications }) {
      expect(await users.listAppsOfUser(owner.userId)).toEqual([])
      const apps = ['verification', 'event', 'transaction'].map((name) => uuid(`app of ${name}`))
      const [ofVerification = '', ofEvent = '', ofTransaction = ''] = apps
      await verifications.record(submission('one', { key: { appId: ofVerification } }))
      await webhooks.insertEvent(event('one', [], { appId: ofEvent }))
      const move = transactionMove('one', [], { appId: ofTransaction })
      await transactions.moveTransaction({ ...move, event: event('two', [], { appId: ofTransaction }) })
      expect(await users.listAppsOfUser(owner.userId)).toEqual([...apps].sort())
      expect(await users.listAppsOfUser(uuid('nobody'))).toEqual([])
    },
  },
  {
    name: 'leaves the same user of another app alone',
    async run({ users, webhooks, transactions, verifications }) {
      await webhooks.registerEndpoint(hook, 50)
      await webhooks.insertEvent(event('one', [hook]))
      await transactions.moveTransaction(transactionMove('one', []))
      await verifications.record(submission('one'))
      const elsewhere = { ...owner, appId: uuid('other app') }
      expect(await users.eraseUser(elsewhere)).toEqual({ ...nothing, verificationsKept: 0 })
      expect(await webhooks.findDelivery(deliveryOf('one'))).toMatchObject({ state: 'PENDING' })
      expect((await users.eraseUser(owner)).photoJobIds).toEqual([uuid('photo one')])
    },
  },
]
