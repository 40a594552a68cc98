import { expect, it } from 'vitest'
import { moveTransaction, type TransactionStore } from '../../src/delivery/index.js'
import type { InsertedEvent, TransactionMove, TransactionRecord } from '../../src/internal/index.js'
import { eventExample } from '../../src/events/index.js'

const at = new Date('2026-03-02T15:04:05.000Z')
const { eventType: _type, status: _status, ...payload } = eventExample('TRANSACTION_CREATE')
const { transactionId, connectedAppId: appId, userId, accountId, connectedAppName: appName } = payload
const owner = { appId, userId: userId ?? '' }
const scopes = ['LIST_PAYMENT', 'LIST_PURCHASES']
const pending: TransactionRecord = { transactionId, ...owner, state: 'PENDING', revision: 1, fields: payload }
const inserted: InsertedEvent = {
  eventId: 'written',
  deliveries: [],
  withheld: null,
  duplicate: false,
  original: null,
}

/** A store that shows one record after the other, and refuses as many moves before it takes one. */
function storeOf(records: readonly TransactionRecord[], refusals: number) {
  const moves: TransactionMove[] = []
  let looks = 0
  const store: TransactionStore = {
    findTransaction() {
      const transaction = records[Math.min(looks, records.length - 1)] ?? null
      looks += 1
      return Promise.resolve({ transaction, publishedBefore: null })
    },
    moveTransaction(move) {
      moves.push(move)
      return Promise.resolve(moves.length <= refusals ? 'stale' : inserted)
    },
  }
  const deps = {
    transactions: store,
    grants: {
      find: () => Promise.resolve([{ ...owner, appName, accountId, externalReferenceId: 'customer-1042', scopes }]),
    },
    endpoints: { listEndpoints: () => Promise.resolve([]) },
    now: () => at,
    newId: () => '00000000-0000-4000-8000-000000000001',
  }
  return { deps, moves }
}

const update = { kind: 'update' as const, transactionId, data: { note: 'Lunch' } }

it('a move that came too late is decided anew on what is there then, with an event that says so', async () => {
  const noted: TransactionRecord = { ...pending, revision: 2, fields: { ...payload, category: 'Travel' } }
  const settled: TransactionRecord = { ...noted, revision: 3, state: 'SETTLED' }
  const { deps, moves } = storeOf([pending, noted, settled], 2)
  expect(await moveTransaction(update, deps)).toMatchObject({ state: 'SETTLED', event: inserted })
  const bodies = moves.map(({ event }) => JSON.parse(new TextDecoder().decode(event.body)) as Record<string, unknown>)
  expect(moves.map(({ fromRevision, next }) => [fromRevision, next])).toEqual([
    [1, 'PENDING'],
    [2, 'PENDING'],
    [3, 'SETTLED'],
  ])
  expect(bodies.map(({ status, category, note }) => [status, category, note])).toEqual([
    ['PENDING', 'Food and drink', 'Lunch'],
    ['PENDING', 'Travel', 'Lunch'],
    ['SETTLED', 'Travel', 'Lunch'],
  ])
})

it.each([
  ['sourceEventID', update],
  ['status', { ...update, kind: 'create' as const }],
])('an unknown name %s is refused', async (name, request) => {
  const { deps, moves } = storeOf([pending], 0)
  const refused = moveTransaction({ ...owner, ...request, [name]: 'SETTLED' }, deps)
  await expect(refused).rejects.toMatchObject({ code: 'OPTIONS_INVALID', violations: [{ pointer: `/${name}` }] })
  expect(moves).toHaveLength(0)
})

it('a move that became illegal meanwhile is refused', async () => {
  const declined: TransactionRecord = { ...pending, revision: 2, state: 'DECLINED', fields: null }
  const { deps, moves } = storeOf([pending, declined], 1)
  await expect(moveTransaction(update, deps)).rejects.toMatchObject({
    code: 'TRANSITION_NOT_ALLOWED',
    retryable: false,
  })
  expect(moves).toHaveLength(1)
})

const other = '09000000-0000-4000-8000-000000000009'
/** As it is stored: without the fields that the service fills. */
const { userId: _user, accountId: _account, connectedAppId: _app, connectedAppName: _name, ...kept } = payload
const stored: TransactionRecord = { ...pending, fields: kept }

it.each([
  ['connectedAppName', 'Another'],
  ['accountId', other],
  ['userId', other],
  ['connectedAppId', other],
])('an update with only a wrong %s says that it is wrong', async (field, value) => {
  const { deps, moves } = storeOf([stored], 0)
  const refused = moveTransaction({ ...update, data: { [field]: value } }, deps)
  const violations = [{ pointer: `/${field}`, code: 'IDENTIFIER_MISMATCH' }]
  await expect(refused).rejects.toMatchObject({ code: 'EVENT_INVALID', violations })
  expect(moves).toHaveLength(0)
})

it.each([[{}], [{ amount: payload.amount }], [{ connectedAppName: appName }]])(
  'an update that changes nothing is refused: %j',
  async (data) => {
    const { deps, moves } = storeOf([stored], 0)
    const refused = moveTransaction({ ...update, data }, deps)
    await expect(refused).rejects.toMatchObject({ code: 'TRANSITION_NOT_ALLOWED' })
    expect(moves).toHaveLength(0)
  },
)

it('a transaction that others move again and again is an outage after eight decisions', async () => {
  const { deps, moves } = storeOf([pending], Infinity)
  await expect(moveTransaction(update, deps)).rejects.toMatchObject({ code: 'TRANSACTION_BUSY', retryable: true })
  expect(moves).toHaveLength(8)
})

it('an id in another letter case is the same transaction', async () => {
  const { deps, moves } = storeOf([pending], 0)
  const asked: string[] = []
  const transactions: TransactionStore = {
    ...deps.transactions,
    findTransaction(request) {
      asked.push(request.transactionId)
      return deps.transactions.findTransaction(request)
    },
  }
  const inCapitals = { ...update, transactionId: transactionId.toUpperCase() }
  expect(await moveTransaction(inCapitals, { ...deps, transactions })).toMatchObject({ transactionId })
  expect(asked).toEqual([transactionId])
  expect(moves).toMatchObject([{ transactionId }])
})
