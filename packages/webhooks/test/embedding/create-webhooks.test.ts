import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createDeliveryWorker,
  createWebhooks,
  uuidv7,
  WebhookError,
  type PreparedEvent,
  type SendingStorage,
  type WebhooksOptions,
} from '../../src/delivery/index.js'
import { eventExamples } from '../../src/events/event-examples.js'
import { createMemoryBodySealer } from '../../src/testing/memory-body-sealer.js'
import type { InsertedEvent } from '../../src/internal/index.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import { accepted, allGranted, appId, grant, oneKey, userId } from '../delivery/delivery-samples.js'
import { VirtualTime } from '../delivery/virtual-time.js'

type Storage = SendingStorage<'a transaction', Promise<InsertedEvent>>

let time: VirtualTime
let store: ReturnType<typeof createMemoryWebhookStore>
let told: [problem: string, message: string][]
let sentTo: string[]

beforeEach(() => {
  time = new VirtualTime()
  store = createMemoryWebhookStore({ nowMs: () => time.nowMs })
  told = []
  sentTo = []
})
afterEach(() => void vi.restoreAllMocks())

function webhooksWith(
  overrides: Partial<WebhooksOptions<'a transaction', Promise<InsertedEvent>>> = {},
  storage: Partial<Storage> = {},
) {
  return createWebhooks({
    storage: { webhooks: store, insertEvent: (_, prepared) => store.insertEvent(prepared), ...storage },
    grants: allGranted,
    signingKeys: oneKey,
    send: async ({ url }) => {
      sentTo.push(url)
      return accepted
    },
    now: () => time.now(),
    random: () => 0.5,
    timers: time,
    onProblem: (problem, error) => told.push([problem, (error as Error).message]),
    ...overrides,
  })
}

const url = 'https://partner.example.com/hooks'
const deposit = { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } } as const
const codeOf = (error: unknown) => (error as { code?: string }).code
const refusalOf = (promise: Promise<unknown>) => promise.then(() => 'accepted', codeOf)

test.each([
  ['/retention/bodyAgeMs', { retention: { bodyAgeMs: Number.NaN } }],
  ['/retention/attemptAgeMs', { retention: { attemptAgeMs: -1 } }],
  ['/retention', { retention: 30 }],
  ['/deduplicate', { deduplicate: {} }],
  ['/timers', { timers: { schedule: () => undefined } }],
  ['/openHeaders', { openHeaders: {} }],
  ['/worker', { worker: null }],
  ['/worker/leaseMs', { worker: { leaseMs: 1 } }],
  ['/worker/retry', { worker: { retry: null } }],
  ['/worker/retry/maxAttempt', { worker: { retry: { maxAttempt: 3 } } }],
  ['/retention', { retention: null }],
  ['/urls', { urls: null }],
  ['/observe', { observe: 'log' }],
  ['/eventTypes', { eventTypes: 'ORDER_SHIPPED' }],
  ['/eventTypes', { eventTypes: null }],
  ['/now', { now: Date.now }],
  ['/retentoin', { retentoin: false }],
  ['/retention/bodyAge', { retention: { bodyAge: 1 } }],
  ['/urls/ownHost', { urls: { ownHost: ['api.example.com'] } }],
  ['/urls/ownHosts', { urls: { ownHosts: 'api.example.com' } }],
  ['/urls/allowLoopback', { urls: { allowLoopback: false } }],
  ['/urls/allowPlainHttpLocalhost', { urls: { allowPlainHttpLocalhost: 'false' } }],
  ['/urls/maxLength', { urls: { maxLength: Number.NaN } }],
  ['/observe/onResultWriten', { observe: { onResultWriten: () => undefined } }],
  ['/observe/onProblem', { observe: { onProblem: () => undefined } }],
  ['/observe/onClaimed', { observe: { onClaimed: 'log' } }],
])('a wrong option is refused at the start: %s', (pointer, overrides) => {
  const violations = [expect.objectContaining({ pointer }) as object]
  expect(() => webhooksWith(overrides as never)).toThrow(
    expect.objectContaining({ code: 'OPTIONS_INVALID', violations }),
  )
})

test.each([undefined, null])(
  '%s in place of the options is refused, with the names of all that are required',
  (none) => {
    const pointers = (violations: readonly string[]) =>
      expect.objectContaining({
        code: 'OPTIONS_INVALID',
        violations: expect.arrayContaining(violations.map((pointer) => expect.objectContaining({ pointer }) as object)),
      }) as Error
    expect(() => createWebhooks(none as never)).toThrow(pointers(['/storage', '/grants', '/signingKeys']))
    expect(() => createDeliveryWorker(none as never)).toThrow(pointers(['/store', '/grants', '/signingKeys', '/send']))
  },
)

describe('an endpoint', () => {
  test.each([
    ['http://partner.example.com/', 'URL_NOT_HTTPS'],
    ['https://localhost:8443/', 'URL_HOST_NOT_ALLOWED'],
    ['https://10.0.0.1/', 'URL_HOST_NOT_ALLOWED'],
    ['https://partner.example.com:22/', 'URL_PORT_NOT_ALLOWED'],
    ['https://user:password@partner.example.com/', 'URL_HAS_CREDENTIALS'],
    ['https://partner.example.com/#a', 'URL_HAS_FRAGMENT'],
    ['partner', 'URL_INVALID'],
    [undefined as unknown as string, 'URL_INVALID'],
    [url, 'accepted'],
  ])('of %s: %s', async (given, code) => {
    expect(await refusalOf(webhooksWith().registerEndpoint({ appId, url: given }))).toBe(code)
    expect(await store.listEndpoints(appId)).toHaveLength(code === 'accepted' ? 1 : 0)
  })

  test.each([
    ['/eventTypes', { eventTypes: 'WIDGET_DEPOSIT_COMPLETE' }],
    ['/eventTypes', { eventTypes: new Set(['WIDGET_DEPOSIT_COMPLETE']) }],
    ['/standardWebhooks', { standardWebhooks: 'false' }],
    ['/standardWebhooks', { standardWebhooks: 1 }],
    ['/appId', { appId: undefined }],
    ['/appId', { appId: 7 }],
    ['/standardWebhook', { standardWebhook: true }],
  ])('with a wrong %s is refused: %j', async (pointer, wrong) => {
    const registered = webhooksWith().registerEndpoint({ appId, url, ...wrong } as never)
    await expect(registered).rejects.toMatchObject({ code: 'OPTIONS_INVALID', violations: [{ pointer }] })
  })

  test.each([[undefined], [null], [url]])('of %j instead of its settings is refused', async (wrong) => {
    const registered = webhooksWith().registerEndpoint(wrong as never)
    await expect(registered).rejects.toMatchObject({ code: 'OPTIONS_INVALID', violations: [{ pointer: '/endpoint' }] })
  })

  test('with standardWebhooks null has no Standard Webhooks headers, and is not replaced at the next start', async () => {
    const endpoint = { appId, url, standardWebhooks: null } as never
    const first = await webhooksWith().registerEndpoint(endpoint)
    expect(first.standardWebhooks).toBe(false)
    expect(await webhooksWith().registerEndpoint(endpoint)).toEqual(first)
  })

  test('is registered once over several starts, and keeps its id', async () => {
    const first = await webhooksWith().registerEndpoint({ appId, url: 'https://Partner.example.com./hooks' })
    const second = await webhooksWith().registerEndpoint({ appId, url })
    expect([second, await store.listEndpoints(appId)]).toEqual([first, [first]])
  })

  test('with other settings replaces the one of its URL and keeps the lineage', async () => {
    const webhooks = webhooksWith()
    const first = await webhooks.registerEndpoint({ appId, url })
    const eventTypes = ['WIDGET_DEPOSIT_COMPLETE'] as const
    const second = await webhooks.registerEndpoint({ appId, url, eventTypes, description: 'deposits' })
    expect(second).toMatchObject({ lineageId: first.lineageId, eventTypes, description: 'deposits' })
    expect(await store.listEndpoints(appId)).toEqual([second])
  })

  test('keeps the static headers of the one that it replaces', async () => {
    const headers = { names: ['Authorization'], sealed: 'sealed', dataKey: 'wrapped' }
    const endpointId = '0198c0de-0000-7000-8000-000000000099'
    const first = { endpointId, appId, url, eventTypes: null, standardWebhooks: false, headers, createdAt: time.now() }
    await store.registerEndpoint(first, 50)
    expect(await webhooksWith().registerEndpoint({ appId, url, description: 'deposits' })).toMatchObject({ headers })
  })

  test('that several processes register at once gets each event once', async () => {
    await Promise.all([webhooksWith(), webhooksWith()].map((webhooks) => webhooks.registerEndpoint({ appId, url })))
    expect((await webhooksWith().publish(deposit)).deliveries).toHaveLength(1)
  })

  test.each([[[]], [['NO_SUCH_TYPE']], [['WIDGET_DEPOSIT_COMPLETE', 'toString']]])(
    'of the types %j is refused',
    async (types) => {
      const endpoint = { appId, url, eventTypes: types as never }
      expect(await refusalOf(webhooksWith().registerEndpoint(endpoint))).toBe('EVENT_TYPE_UNKNOWN')
    },
  )

  test.each([
    ['x'.repeat(200), 'accepted'],
    ['x'.repeat(201), 'OPTIONS_INVALID'],
    ['a\0b', 'OPTIONS_INVALID'],
    ['\ud800', 'OPTIONS_INVALID'],
    [7 as never, 'OPTIONS_INVALID'],
  ])('with the description %j is %s', async (description, outcome) => {
    expect(await refusalOf(webhooksWith().registerEndpoint({ appId, url, description }))).toBe(outcome)
  })

  test('is the last one at 50 of an app', async () => {
    const webhooks = webhooksWith()
    const register = (index: number) => refusalOf(webhooks.registerEndpoint({ appId, url: `${url}/${index}` }))
    for (let index = 0; index < 50; index += 1) expect(await register(index)).toBe('accepted')
    expect(await register(50)).toBe('ENDPOINT_LIMIT_REACHED')
  })
})

describe('publishing', () => {
  test.each(['publish', 'prepare'] as const)('%s refuses a misspelt name', async (method) => {
    const refused = webhooksWith()[method]({ ...deposit, sourceEventID: 'deposit-42' } as never)
    const violations = [expect.objectContaining({ pointer: '/sourceEventID', code: 'UNKNOWN_FIELD' }) as object]
    await expect(refused).rejects.toMatchObject({ code: 'OPTIONS_INVALID', violations })
  })

  test.each(['', 5, NaN])('an id at the source of %j would make one event of two, and is refused', async (id) => {
    const refused = webhooksWith().publish({ ...deposit, sourceEventId: id as string })
    const violations = [expect.objectContaining({ pointer: '/sourceEventId', code: 'TYPE' }) as object]
    await expect(refused).rejects.toMatchObject({ code: 'OPTIONS_INVALID', violations })
  })

  test('tells what is queued, and the worker sends it', async () => {
    const webhooks = webhooksWith()
    const { endpointId } = await webhooks.registerEndpoint({ appId, url })
    await webhooks.start()
    const published = await webhooks.publish(deposit)
    expect(published).toEqual({
      status: 'QUEUED',
      eventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
      deliveries: [{ deliveryId: expect.any(String) as string, endpointId }],
    })
    await time.pass(10)
    await webhooks.stop()
    expect(sentTo).toEqual([url])
  })

  test.each<[string, Partial<WebhooksOptions<'a transaction', Promise<InsertedEvent>>>, boolean]>([
    ['NO_ENDPOINT', {}, false],
    ['NO_GRANT', { grants: { find: async () => [null] } }, true],
    ['SCOPE_NOT_GRANTED', { grants: { find: async () => [{ ...grant, scopes: ['VERIFY_KYC'] }] } }, true],
  ])('tells why nothing is sent: %s', async (reason, overrides, registered) => {
    const webhooks = webhooksWith(overrides)
    if (registered) await webhooks.registerEndpoint({ appId, url })
    const withheld = { status: 'WITHHELD', reason, eventId: expect.any(String) as string, deliveries: [] }
    expect(await webhooks.publish(deposit)).toEqual(withheld)
    expect(await webhooks.publishIn('a transaction', deposit)).toEqual(withheld)
  })

  test('withholds for an endpoint that was removed while the event was prepared', async () => {
    const webhooks = webhooksWith()
    const { endpointId } = await webhooks.registerEndpoint({ appId, url })
    const prepared = await webhooks.prepare(deposit)
    await store.removeEndpoint({ appId, endpointId })
    expect(await webhooks.publishIn('a transaction', prepared)).toMatchObject({
      status: 'WITHHELD',
      reason: 'NO_ENDPOINT',
    })
  })

  test.each([[undefined], [null], ['x'], [[]]])('publishIn refuses %j', async (event) => {
    expect(await refusalOf(webhooksWith().publishIn('a transaction', event as never))).toBe('OPTIONS_INVALID')
  })

  test('gives the transaction and the prepared event to the storage', async () => {
    const written: [string, PreparedEvent][] = []
    const insertEvent: Storage['insertEvent'] = (transaction, prepared) => {
      written.push([transaction, prepared])
      return store.insertEvent(prepared)
    }
    const webhooks = webhooksWith({}, { insertEvent })
    const prepared = await webhooks.prepare(deposit)
    await webhooks.publishIn('a transaction', prepared)
    expect(written).toEqual([['a transaction', prepared]])
  })

  test('returns the first event of a sourceEventId, and refuses another one', async () => {
    const webhooks = webhooksWith()
    await webhooks.registerEndpoint({ appId, url })
    const first = await webhooks.publish({ ...deposit, sourceEventId: 'deposit-1' })
    expect(await webhooks.publish({ ...deposit, sourceEventId: 'deposit-1' })).toEqual(first)
    const other = { ...deposit, data: { amount: 7 }, sourceEventId: 'deposit-1' }
    expect(await refusalOf(webhooks.publish(other))).toBe('SOURCE_EVENT_ID_CONFLICT')
    expect(await refusalOf(webhooks.publishIn('a transaction', other))).toBe('SOURCE_EVENT_ID_CONFLICT')
  })

  test('seals bodies with a sealer, and compares the opened ones', async () => {
    const bodySealer = createMemoryBodySealer()
    const webhooks = webhooksWith({ bodySealer })
    await webhooks.registerEndpoint({ appId, url })
    const repeated = { ...deposit, sourceEventId: 'sealed-1' }
    const prepared = await webhooks.prepare(repeated)
    expect(new TextDecoder().decode(prepared.body)).not.toContain('amount')
    const first = await webhooks.publish(repeated)
    expect(await webhooks.publish(repeated)).toEqual(first)
    const other = { ...repeated, data: { amount: 7 } }
    expect(await refusalOf(webhooks.publish(other))).toBe('SOURCE_EVENT_ID_CONFLICT')
  })

  test('refuses a grant of another user', async () => {
    const grants = { find: async () => [{ ...grant, userId: '02000000-0000-4000-8000-000000000002' }] }
    expect(await refusalOf(webhooksWith({ grants }).publish(deposit))).toBe('GRANTS_MISMATCH')
  })

  test.each([
    ['any', { status: 'QUEUED' }],
    ['all', { status: 'WITHHELD', reason: 'SCOPE_NOT_GRANTED' }],
    [undefined, { status: 'WITHHELD', reason: 'SCOPE_NOT_GRANTED' }],
  ] as const)('with one of two scopes and the rule %s is %j', async (scopeRule, published) => {
    const grants = { find: async () => [{ ...grant, scopes: ['LIST_PAYMENT'] }] }
    const webhooks = webhooksWith({ grants, ...(scopeRule === undefined ? {} : { worker: { scopeRule } }) })
    await webhooks.registerEndpoint({ appId, url })
    const { userId: _, accountId: __, status: ___, ...data } = eventExamples.TRANSACTION_DECLINE
    expect(await webhooks.publish({ appId, userId, eventType: 'TRANSACTION_DECLINE', data })).toMatchObject(published)
  })
})

describe('the first minute', () => {
  test('is told when everything was withheld, with the reasons', async () => {
    const webhooks = webhooksWith()
    await webhooks.publish(deposit)
    await webhooks.publish(deposit)
    await time.pass(59_999)
    expect(told).toEqual([])
    await time.pass(2)
    expect(told).toEqual([['EVERYTHING_WITHHELD', expect.stringMatching(/NO_ENDPOINT 2\.$/) as string]])
    await webhooks.publish(deposit)
    await time.pass(120_000)
    expect(told).toHaveLength(1)
  })

  test('is told at the end of a process that is shorter', async () => {
    const webhooks = webhooksWith({ grants: { find: async () => [null] } })
    await webhooks.publishIn('a transaction', await webhooks.prepare(deposit))
    await webhooks.stop()
    expect(told).toEqual([['EVERYTHING_WITHHELD', expect.stringContaining('NO_GRANT 1.') as string]])
  })

  test('is not told when one event was queued, or when there was none', async () => {
    const idle = webhooksWith()
    const webhooks = webhooksWith()
    await webhooks.publish(deposit)
    await webhooks.registerEndpoint({ appId, url })
    await webhooks.publish(deposit)
    await time.pass(60_001)
    await Promise.all([idle.stop(), webhooks.stop()])
    expect(told).toEqual([])
  })
})

describe('running', () => {
  test('that is started while it stops runs afterwards', async () => {
    const locks: string[] = []
    const acquireWorkerLock = async () => {
      locks.push('acquired')
      return { release: async () => void locks.push('released') }
    }
    const webhooks = webhooksWith({}, { acquireWorkerLock })
    await webhooks.registerEndpoint({ appId, url })
    await webhooks.start()
    await time.pass(10)
    const stopping = webhooks.stop()
    const starting = webhooks.start()
    await time.pass(10)
    await Promise.all([stopping, starting])
    await webhooks.publish(deposit)
    await time.pass(10)
    expect(sentTo).toEqual([url])
    expect(locks).toEqual(['acquired', 'released', 'acquired'])
    await webhooks.stop()
  })

  test('takes the lock of the storage, and releases it after the worker has ended', async () => {
    const calls: string[] = []
    const acquireWorkerLock = async () => {
      calls.push('locked')
      return { release: async () => void calls.push('released') }
    }
    const webhooks = webhooksWith({}, { acquireWorkerLock })
    await Promise.all([webhooks.start(), webhooks.start()])
    await webhooks.stop()
    await webhooks.stop()
    expect(calls).toEqual(['locked', 'released'])
  })

  test('a start that fails can be tried again, and stop does not throw for it', async () => {
    const locked = Object.assign(new Error('another worker'), { code: 'WORKER_LOCKED' })
    const acquireWorkerLock = vi
      .fn()
      .mockRejectedValueOnce(locked)
      .mockResolvedValue({ release: async () => undefined })
    const webhooks = webhooksWith({}, { acquireWorkerLock })
    expect(await refusalOf(webhooks.start())).toBe('WORKER_LOCKED')
    await webhooks.stop()
    expect(await refusalOf(webhooks.start())).toBe('accepted')
    await webhooks.stop()
  })

  test('a start that fails after a newer one was asked for does not lose the lock of the newer one', async () => {
    const release = vi.fn(async () => undefined)
    const acquireWorkerLock = vi.fn().mockRejectedValueOnce(new Error('another worker')).mockResolvedValue({ release })
    const webhooks = webhooksWith({}, { acquireWorkerLock })
    const first = webhooks.start()
    const stopping = webhooks.stop()
    const second = webhooks.start()
    expect(await Promise.allSettled([first, stopping, second])).toMatchObject([
      { status: 'rejected' },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])
    await webhooks.stop()
    expect([acquireWorkerLock.mock.calls.length, release.mock.calls.length]).toEqual([2, 1])
  })

  test('removes old data at the start and each hour, until nothing is left', async () => {
    let left = 3
    const removeOld = vi.fn(async () => ({ more: (left -= 1) > 0 }))
    const forget = vi.fn(async () => 0)
    const retention = { bodyAgeMs: 86_400_000 }
    const webhooks = webhooksWith({ retention, deduplicate: { forget } }, { retention: { removeOld } })
    await webhooks.start()
    await time.pass(1)
    expect([removeOld.mock.calls.length, removeOld.mock.calls[0], forget.mock.calls.length]).toEqual([
      3,
      [retention],
      1,
    ])
    await time.pass(3_600_000)
    expect([removeOld.mock.calls.length, forget.mock.calls.length]).toEqual([4, 2])
    await webhooks.stop()
    await time.pass(7_200_000)
    expect(removeOld).toHaveBeenCalledTimes(4)
  })

  test('forgets ids of more than 30 days ago, a thousand at once', async () => {
    const forget = vi.fn().mockResolvedValueOnce(1_000).mockResolvedValueOnce(12)
    const webhooks = webhooksWith({ deduplicate: { forget } })
    await webhooks.start()
    await time.pass(1)
    await webhooks.stop()
    const request = { olderThanMs: 30 * 86_400_000, limit: 1_000 }
    expect(forget.mock.calls).toEqual([[request], [request]])
  })

  test('removes nothing with retention false, and tells what fails', async () => {
    const removeOld = vi.fn(() => Promise.reject(new Error('the disk is full')))
    const forget = () => Promise.reject(new Error('the cache is down'))
    const off = webhooksWith({ retention: false }, { retention: { removeOld } })
    await off.start()
    await off.stop()
    expect(removeOld).not.toHaveBeenCalled()
    const failing = webhooksWith({ deduplicate: { forget } }, { retention: { removeOld } })
    await failing.start()
    await failing.stop()
    expect(told).toEqual([
      ['RETENTION_FAILED', 'the disk is full'],
      ['FORGET_FAILED', 'the cache is down'],
    ])
  })

  test.each<() => unknown>([
    () => {
      throw new Error('the log is down')
    },
    () => Promise.reject(new Error('the log is down')),
  ])('an onProblem that throws, at once or later, stops nothing', async (onProblem) => {
    const webhooks = webhooksWith({ onProblem })
    await webhooks.publish(deposit)
    await webhooks.stop()
  })

  test('an observer of a class is called on its object', async () => {
    class Metrics {
      claimed = 0
      results = 0
      onClaimed({ count }: { readonly count: number }) {
        this.claimed += count
      }
      onResultWritten() {
        this.results += 1
      }
    }
    const observe = new Metrics()
    const webhooks = webhooksWith({ observe })
    await webhooks.registerEndpoint({ appId, url })
    await webhooks.publish(deposit)
    await webhooks.start()
    await time.pass(10)
    await webhooks.stop()
    expect([observe.claimed, observe.results]).toEqual([1, 1])
  })

  test('problems are printed by default', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { onProblem: _, ...silent } = {
      onProblem: 0,
      storage: { webhooks: store, insertEvent: () => store.insertEvent },
    }
    const webhooks = createWebhooks({ ...silent, grants: allGranted, signingKeys: oneKey } as never)
    await webhooks.publish(deposit)
    await webhooks.stop()
    expect(print.mock.calls).toEqual([['kyc-relay webhooks: EVERYTHING_WITHHELD', expect.any(WebhookError)]])
  })
})

describe('options are checked when it is created', () => {
  const wrong = (options: object) => {
    try {
      createWebhooks(options as never)
      return null
    } catch (error) {
      return (error as WebhookError).violations.map(({ pointer }) => pointer)
    }
  }
  const storage = { webhooks: createMemoryWebhookStore(), insertEvent: () => undefined }
  const good = { storage, grants: allGranted, signingKeys: oneKey }

  test.each<[object, string[] | null]>([
    [{}, ['/storage', '/storage/webhooks', '/grants', '/signingKeys']],
    [{ ...good, storage: createMemoryWebhookStore() }, ['/storage/webhooks']],
    [{ ...good, grants: { find: null } }, ['/grants']],
    [{ ...good, send: 'https' }, ['/send']],
    [{ ...good, onProblem: {} }, ['/onProblem']],
    [{ ...good, worker: { concurrency: -1 } }, ['/worker/concurrency']],
    [good, null],
  ])('case %#', (options, pointers) => {
    expect(wrong(options)).toEqual(pointers)
  })
})

test('uuidv7 makes unique UUIDs of version 7 that begin with the time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 1_000 }, () => uuidv7())
  const after = Date.now()
  expect(new Set(ids).size).toBe(1_000)
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const at = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
    expect(at >= before && at <= after).toBe(true)
  }
  expect(new Set(ids.map((id) => id[19])).size).toBeGreaterThan(1)
})
