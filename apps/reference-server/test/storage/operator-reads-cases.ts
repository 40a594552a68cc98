import { deepEqual, equal } from 'node:assert/strict'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { OperatorReads } from '../../src/storage/operator-reads.js'
import {
  claimRequest,
  endpoint,
  event,
  report,
  startOfTests,
  storageCase,
  uuid,
  type StorageCase,
} from '../../../../packages/storage-drizzle/test/storage-cases.js'
import { transactionMove } from '../../../../packages/storage-drizzle/test/samples.js'

/** Handle for the cases of `OperatorReads`: the port, and the stores of its rows. */
export interface OperatorReadsHandle {
  readonly operatorReads: OperatorReads
  readonly apps: AppDirectory
  readonly webhooks: WebhookStore
  readonly transactions: TransactionStore
}

const [first, second] = [uuid('app'), uuid('other app')].sort() as [string, string]
const users = ['one', 'two', 'three'].map(uuid).sort()
const hookOf = { [first]: endpoint('a', first), [second]: endpoint('b', second) }

async function createApps({ apps }: OperatorReadsHandle): Promise<void> {
  for (const [appId, name] of [
    [second, 'Second'],
    [first, 'First'],
  ] as const) {
    const hash = new Uint8Array(32).fill(appId === first ? 1 : 2)
    const times = { createdAt: startOfTests, signsFrom: startOfTests, retiredAt: null }
    await apps.createApp({ appId, name, firstKey: { appId, version: 1, hash, sealed: hash, ...times } })
  }
}

const grantOf = (appId: string, userId: string, externalReferenceId: string) => ({
  appId,
  userId,
  accountId: uuid(`account ${userId}`),
  externalReferenceId,
  scopes: ['VERIFY_KYC', 'LIST_PAYMENT'],
})

async function createEndpoints({ webhooks }: OperatorReadsHandle): Promise<void> {
  for (const hook of Object.values(hookOf)) await webhooks.registerEndpoint(hook, 50)
}

/** Publishes one event of an app to its endpoint, a second after the previous one. */
async function publish(
  one: OperatorReadsHandle,
  advance: (ms: number) => Promise<void>,
  app: string,
  name: string,
  change: Parameters<typeof event>[2] = {},
): Promise<void> {
  const hook = hookOf[app]
  if (hook === undefined) throw new Error('no such app')
  await one.webhooks.insertEvent(event(name, change.withheld == null ? [hook] : [], { appId: app, ...change }))
  await advance(1_000)
}

const namesOf = (ids: readonly string[], ...names: readonly string[]) =>
  ids.map((id) => names.find((name) => id === uuid(`event ${name}`)) ?? id)

/** Lists the rules of the `OperatorReads` port as cases for any test runner. Each case needs a fresh harness. */
export const operatorReadsCases: readonly StorageCase<OperatorReadsHandle>[] = [
  storageCase('OR-01', 'MUST list apps by id, and page after the last one', async (one) => {
    deepEqual(await one.operatorReads.listApps({ limit: 10 }), [])
    await createApps(one)
    const all = [
      { appId: first, name: 'First' },
      { appId: second, name: 'Second' },
    ]
    deepEqual(await one.operatorReads.listApps({ limit: 10 }), all)
    deepEqual(await one.operatorReads.listApps({ limit: 1 }), all.slice(0, 1))
    deepEqual(await one.operatorReads.listApps({ limit: 1, after: first }), all.slice(1))
  }),
  storageCase('OR-02', 'MUST list the users of one app by id, without revoked grants', async (one) => {
    await createApps(one)
    for (const userId of [...users].reverse()) await one.apps.putGrant(grantOf(first, userId, `ref ${userId}`))
    await one.apps.putGrant(grantOf(second, users[0] ?? '', 'elsewhere'))
    await one.apps.revokeGrant({ appId: first, userId: users[1] ?? '' })
    const { appId: _appId, ...expected } = grantOf(first, users[0] ?? '', `ref ${users[0]}`)
    const page = await one.operatorReads.listUsers({ appId: first, limit: 10 })
    deepEqual(page[0], expected)
    deepEqual(
      page.map(({ userId }) => userId),
      [users[0], users[2]],
    )
    const next = await one.operatorReads.listUsers({ appId: first, after: users[0], limit: 1 })
    deepEqual(
      next.map(({ userId }) => userId),
      [users[2]],
    )
  }),
  storageCase('OR-03', 'MUST find users by the exact reference of that app', async (one) => {
    await createApps(one)
    for (const [index, reference] of ['Réf 1', 'réf 1', 'Réf 1'].entries())
      await one.apps.putGrant(grantOf(first, users[index] ?? '', reference))
    await one.apps.putGrant(grantOf(second, users[1] ?? '', 'Réf 1'))
    const found = await one.operatorReads.listUsers({ appId: first, externalReferenceId: 'Réf 1', limit: 10 })
    deepEqual(
      found.map(({ userId }) => userId),
      [users[0], users[2]],
    )
  }),
  storageCase('OR-04', 'MUST list deliveries of all apps, newest first, page by page', async (one, use) => {
    await createApps(one)
    await createEndpoints(one)
    await publish(one, use.advance, first, 'one')
    await publish(one, use.advance, second, 'two')
    await publish(one, use.advance, first, 'three')
    const pages = []
    let before
    for (let page = 0; page < 3; page += 1) {
      const [row] = await one.operatorReads.listDeliveries({ limit: 1, before })
      before = row
      pages.push(row?.eventId ?? '')
    }
    deepEqual(namesOf(pages, 'one', 'two', 'three'), ['three', 'two', 'one'])
    deepEqual(await one.operatorReads.listDeliveries({ limit: 1, before }), [])
    const [row] = await one.operatorReads.listDeliveries({ limit: 1 })
    const hook = hookOf[first]
    deepEqual(
      { ...row, position: 0 },
      {
        deliveryId: uuid(`delivery three ${hook?.endpointId}`),
        appId: first,
        endpointId: hook?.endpointId,
        userId: uuid('user'),
        eventId: uuid('event three'),
        xEventId: uuid(`x-event three ${hook?.endpointId}`),
        eventType: 'TRANSACTION_CREATE',
        state: 'PENDING',
        createdAt: new Date(startOfTests.getTime() + 2_000),
        position: 0,
        endedAt: null,
        cancelReason: null,
        httpStatus: null,
        resendOf: null,
      },
    )
  }),
  storageCase('OR-05', 'MUST filter deliveries by app, endpoint, type and state', async (one, use) => {
    await createApps(one)
    await createEndpoints(one)
    await publish(one, use.advance, first, 'one')
    await publish(one, use.advance, second, 'two', { type: 'TRANSACTION_UPDATE' })
    const { claimed } = await one.webhooks.claimDue({ ...claimRequest, limit: 2, keepForHealthy: 0 })
    await one.webhooks.recordAttemptResults(
      claimed
        .filter(({ appId }) => appId === second)
        .map(({ fence }) => ({ fence, attempt: { state: 'FAILED', report }, next: { state: 'FAILED' } })),
    )
    const ask = async (filter: Partial<Parameters<OperatorReads['listDeliveries']>[0]>) => {
      const rows = await one.operatorReads.listDeliveries({ ...filter, limit: 10 })
      return namesOf(
        rows.map(({ eventId }) => eventId),
        'one',
        'two',
      )
    }
    deepEqual(await ask({ appId: first }), ['one'])
    deepEqual(await ask({ endpointId: hookOf[second]?.endpointId }), ['two'])
    deepEqual(await ask({ eventType: 'TRANSACTION_UPDATE' }), ['two'])
    deepEqual(await ask({ state: 'FAILED' }), ['two'])
    deepEqual(await ask({ state: 'PENDING' }), ['one'])
    deepEqual(await ask({ state: 'DELIVERED' }), [])
    deepEqual(await ask({ appId: first, state: 'FAILED' }), [])
    const [failed] = await one.operatorReads.listDeliveries({ state: 'FAILED', limit: 1 })
    equal(failed?.httpStatus, 500)
    deepEqual(failed?.endedAt, new Date(startOfTests.getTime() + 2_000))
  }),
  storageCase('OR-06', 'MUST list withheld events alone, with their reason', async (one, use) => {
    await createApps(one)
    await createEndpoints(one)
    await publish(one, use.advance, first, 'one', { withheld: 'NO_GRANT' })
    await publish(one, use.advance, second, 'two')
    await publish(one, use.advance, second, 'three', { withheld: 'SCOPE_NOT_GRANTED' })
    const rows = await one.operatorReads.listWithheld({ limit: 10 })
    deepEqual(
      rows.map(({ eventId, reason, appId }) => [...namesOf([eventId], 'one', 'two', 'three'), reason, appId]),
      [
        ['three', 'SCOPE_NOT_GRANTED', second],
        ['one', 'NO_GRANT', first],
      ],
    )
    const [newest] = rows
    equal((await one.operatorReads.listWithheld({ limit: 10, before: newest })).length, 1)
    equal((await one.operatorReads.listWithheld({ limit: 10, appId: second })).length, 1)
  }),
  storageCase(
    'OR-07',
    'MUST count what waits and is in flight by endpoint, and leave idle ones out',
    async (one, use) => {
      await createApps(one)
      await createEndpoints(one)
      deepEqual(await one.operatorReads.listQueue({ limit: 10 }), [])
      for (const name of ['one', 'two', 'three']) await publish(one, use.advance, first, name)
      await one.webhooks.claimDue({ ...claimRequest, limit: 1, keepForHealthy: 0 })
      await publish(one, use.advance, second, 'four')
      const rows = await one.operatorReads.listQueue({ limit: 10 })
      const at = (seconds: number) => new Date(startOfTests.getTime() + seconds * 1_000)
      const [one1, two1] = [hookOf[first]?.endpointId, hookOf[second]?.endpointId]
      const idle = { paused: false, failingSince: null }
      deepEqual(rows, [
        { appId: first, endpointId: one1, waiting: 2, inFlight: 1, oldestDueAt: at(1), ...idle },
        { appId: second, endpointId: two1, waiting: 1, inFlight: 0, oldestDueAt: at(3), ...idle },
      ])
      deepEqual(await one.operatorReads.listQueue({ limit: 10, after: rows[0] }), rows.slice(1))
      deepEqual(await one.operatorReads.listQueue({ limit: 10, appId: first }), rows.slice(0, 1))
    },
  ),
  storageCase('OR-08', 'MUST find a transaction with its moves, and none of its fields', async (one, use) => {
    await createApps(one)
    await createEndpoints(one)
    equal(await one.operatorReads.findTransaction(uuid('transaction one')), null)
    const appId = uuid('app')
    await one.transactions.moveTransaction(transactionMove('one', [hookOf[appId] ?? endpoint('a')]))
    await use.advance(1_000)
    await one.transactions.moveTransaction(
      transactionMove('one', [hookOf[appId] ?? endpoint('a')], { fromRevision: 1, next: 'SETTLED' }),
    )
    const at = (ms: number) => new Date(startOfTests.getTime() + ms)
    deepEqual(await one.operatorReads.findTransaction(uuid('transaction one')), {
      transactionId: uuid('transaction one'),
      appId,
      userId: uuid('user'),
      state: 'SETTLED',
      revision: 2,
      movedAt: startOfTests,
      moves: [
        { revision: 1, state: 'PENDING', eventId: uuid('event one 0'), createdAt: at(0) },
        { revision: 2, state: 'SETTLED', eventId: uuid('event one 1'), createdAt: at(1_000) },
      ],
    })
  }),
  storageCase('OR-09', 'MUST list what is withheld of an app that does not exist, for that app', async (one, use) => {
    await createApps(one)
    const appId = uuid('no app')
    await one.webhooks.insertEvent(event('one', [], { appId, withheld: 'NO_GRANT' }))
    await use.advance(1_000)
    await one.webhooks.insertEvent(event('two', [], { appId, withheld: 'NO_GRANT' }))
    const rows = await one.operatorReads.listWithheld({ limit: 10, appId })
    deepEqual(
      rows.map(({ eventId }) => namesOf([eventId], 'one', 'two')),
      [['two'], ['one']],
    )
  }),
]
