import { expect, test } from 'vitest'
import {
  prepareEvent,
  readFeed,
  recoverEvents,
  uuidv7,
  type GrantLookup,
  type RecoveryStore,
} from '../../src/delivery/index.js'
import { countRecovery, type AppGrant } from '../../src/internal/index.js'

const appId = '0a000000-0000-4000-8000-00000000000a'
const [one, two] = ['01000000-0000-4000-8000-000000000001', '02000000-0000-4000-8000-000000000002'] as const
const range = { since: new Date(0), until: new Date(1000), eventTypes: null }
const grantOf = (userId: string, fields: Partial<AppGrant> = {}): AppGrant => ({
  appId,
  userId,
  appName: 'App',
  accountId: one,
  externalReferenceId: 'r',
  scopes: ['MAKE_PAYOUT_SEND'],
  ...fields,
})
const type = 'WIDGET_DEPOSIT_COMPLETE'
const body = new TextEncoder().encode('{}')
const events = [one, two].map((userId, index) => ({
  ...({ eventId: uuidv7(), userId, type, createdAt: new Date(0) } as const),
  place: { createdAt: new Date(0), position: index },
  withheld: null,
  delivered: null,
  erased: false,
  test: false,
  body,
  deliveries: [],
  cursor: String(index),
}))

/** A world of two events, whose recoveries have one step to do. */
function newWorld(find: GrantLookup['find'], recoveries = 1, listEvents = async () => events) {
  const written: unknown[] = []
  const grants = { find }
  const running = Array.from({ length: recoveries }, () => ({ appId, recoveryId: uuidv7() }))
  const store = {
    listEvents,
    listRunning: async () => running,
    findNextStep: async () => ({ appId, endpointId: one, lineageId: one, after: null, ...range }),
    writeStep: async (step: unknown) => (written.push(step), 'written'),
  } as unknown as RecoveryStore
  const feed = { findCursor: async () => 'start', listAfter: async () => events, measureLag: async () => 0 }
  const webhooks = { listEndpoints: async () => [] }
  return {
    written,
    recover: () => recoverEvents({ store, grants, newId: uuidv7 }),
    count: () => countRecovery({ store, grants }, { appId, endpointId: one, ...range }),
    read: () =>
      readFeed({ feed, webhooks, grants }, { appId, after: null, eventTypes: null, keptSince: new Date(0), limit: 10 }),
    prepare: () =>
      prepareEvent(
        { appId, userId: two, eventType: type, data: { amount: 1 } },
        { grants, endpoints: webhooks, now: () => new Date(0), newId: uuidv7 },
      ),
  }
}

test.each<[unknown, readonly string[]]>([
  [undefined, ['/store', '/grants', '/newId']],
  ['x', ['/store', '/grants', '/newId']],
  [{ store: {}, grants: { find: () => [] }, newId: 'x' }, ['/store', '/newId']],
])('a recovery with %j is refused', async (deps, pointers) => {
  await expect(recoverEvents(deps as never)).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    violations: pointers.map((pointer) => ({ pointer })),
  })
})

test('grants of the users asked for are used', async () => {
  const world = newWorld(async (pairs) => pairs.map(({ userId }) => grantOf(userId.toUpperCase())))
  expect(await world.recover()).toBe(1)
  expect(await world.count()).toMatchObject({ matched: 2, skipped: { scope: 0 } })
  expect(await world.read()).toMatchObject({
    items: [{ eventId: events[0]?.eventId }, { eventId: events[1]?.eventId }],
  })
  expect(await world.prepare()).toMatchObject({ userId: two })
})

test.each<[string, GrantLookup['find']]>([
  ['in another order', async () => [grantOf(two), grantOf(one)]],
  ['of another app', async (pairs) => pairs.map(({ userId }) => grantOf(userId, { appId: two }))],
  ['of another user', async (pairs) => pairs.map(() => grantOf(one))],
  ['too few', async () => []],
  ['too many', async (pairs) => [...pairs, ...pairs].map(({ userId }) => grantOf(userId))],
  ['undefined', async (pairs) => pairs.map(() => undefined as unknown as null)],
])('grants %s are an error wherever they are looked up, and nothing is written', async (_, find) => {
  const world = newWorld(find)
  for (const call of [world.recover, world.count, world.read, world.prepare]) {
    await expect(call()).rejects.toMatchObject({ code: 'GRANTS_MISMATCH' })
  }
  expect(world.written).toEqual([])
})

test('a look-up that fails for one recovery does not hold up the next', async () => {
  let calls = 0
  const world = newWorld(async (pairs) => {
    calls += 1
    if (calls % 2 === 1) throw new Error('The directory of one tenant is down.')
    return pairs.map(({ userId }) => grantOf(userId))
  }, 2)
  expect(await world.recover()).toBe(1)
  expect(world.written).toHaveLength(1)
})

test('a recovery that the store refuses for ever does not hold up the next, and an error of the store ends the call', async () => {
  let calls = 0
  const failing = (retryable: boolean) => async () => {
    calls += 1
    if (calls % 2 === 1) throw Object.assign(new Error('refused'), { retryable })
    return events
  }
  const grant: GrantLookup['find'] = async (pairs) => pairs.map(({ userId }) => grantOf(userId))
  expect(await newWorld(grant, 2, failing(false)).recover()).toBe(1)
  await expect(newWorld(grant, 2, failing(true)).recover()).rejects.toMatchObject({ retryable: true })
})

test('a failed look-up is told once a call wrote nothing', async () => {
  const down = new Error('The directory is down.')
  const world = newWorld(() => Promise.reject(down), 2)
  await expect(world.recover()).rejects.toBe(down)
})
