import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import {
  createDeliveryWorker,
  reportOfCause,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from '@kyc-relay/webhooks/delivery'
import { settlePromises, VirtualTime } from '../../../webhooks/test/delivery/virtual-time.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { testFolder } from './sqlite-files.js'

/** Decision 30: at most so many endpoints per app. */
export const endpointsPerApp = 50

/** How an endpoint answers at an instant of the worker's clock: after how many milliseconds, or never. */
export type Temper = (endpoint: number, atMs: number) => number | 'hangs'

const granted = {
  appName: 'Example Wallet',
  accountId: 'account-1',
  externalReferenceId: 'customer-1042',
  scopes: ['MAKE_PAYOUT_SEND'],
} as const

/** Something that happened to a delivery, and when, counted from when it was published. */
export interface Seen {
  readonly endpoint: number
  readonly afterMs: number
}

/**
 * The real store on a file and the real worker with its defaults, in time that passes only when nothing moves any more:
 * the same history on every machine, however busy. What it does not show is how fast a processor or a disk is.
 */
export async function createManyEndpoints(count: number, temper: Temper, options: DeliveryWorkerOptions = {}) {
  let moving = 0
  /** Counts what is under way in the store, which no virtual timer knows of. */
  const moved = async <T>(work: Promise<T>): Promise<T> => {
    moving += 1
    try {
      return await work
    } finally {
      moving -= 1
    }
  }
  const time = new VirtualTime(undefined, async () => {
    do await settlePromises()
    while (moving > 0)
  })
  const path = join(testFolder(), 'many-endpoints.db')
  const storage = await createSqliteStorage({ path }, { clock: () => time.now() })
  onTestFinished(() => storage.close())
  const { webhooks } = storage

  const seeding = new Database(path)
  onTestFinished(() => void seeding.close())
  seeding.pragma('synchronous = OFF')
  seeding.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO kyc_relay_endpoints (position, endpoint_id, app_id, url, standard_webhooks, created_at)
    SELECT i, printf('0e000000-0000-7000-8000-%012d', i), ${appOf('i')}, 'https://' || i || '.example.com/', 0, 0 FROM n;
    INSERT INTO kyc_relay_endpoint_turns (endpoint) SELECT position FROM kyc_relay_endpoints;`)
  /** Number of the first event of each publishing, with its instant. */
  const published: { readonly from: number; readonly atMs: number }[] = []
  let events = 0

  /** Makes `each` events due now for every endpoint from `first` to `last`, written by the database itself. */
  function publish(first: number, last: number, each: number): void {
    const now = time.nowMs
    published.push({ from: events + 1, atMs: now })
    seeding.exec(`
      BEGIN IMMEDIATE;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${each - 1})
      INSERT INTO kyc_relay_events (position, event_id, app_id, user_id, type, occurred_at, body, test, created_at)
      SELECT ${events} + app * ${each} + i + 1, printf('%08x-0001-7000-8000-000000000000', ${events} + app * ${each} + i + 1),
        printf('0a000000-0000-7000-8000-%012d', app), 'user-1', 'WIDGET_DEPOSIT_COMPLETE', ${now}, CAST('{"amount":1}' AS BLOB), 0, ${now}
      FROM n, (SELECT DISTINCT (position - 1) / ${endpointsPerApp} AS app FROM kyc_relay_endpoints
        WHERE position BETWEEN ${first} AND ${last});
      INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state, created_at, due_at)
      SELECT printf('%08x-%04x-7000-8000-000000000000', event.position, endpoint.position), event.position,
        endpoint.position, printf('%08x-%04x-7000-8000-000000000001', event.position, endpoint.position), event.app_id,
        'user-1', type, 'PENDING', ${now}, ${now}
      FROM kyc_relay_events AS event JOIN kyc_relay_endpoints AS endpoint USING (app_id)
      WHERE event.position > ${events} AND endpoint.position BETWEEN ${first} AND ${last};
      UPDATE kyc_relay_endpoint_turns SET next_due_at = coalesce(min(next_due_at, ${now}), ${now})
      WHERE endpoint BETWEEN ${first} AND ${last};
      COMMIT;`)
    events = seeding.prepare<[], number>('SELECT max(position) FROM kyc_relay_events').pluck().get() ?? 0
    worker.wake()
  }

  /** Answers of one instant come together, and instants are whole multiples of this. */
  const tickMs = 20
  const answers = new Map<number, (() => void)[]>()
  function answered(afterMs: number): Promise<void> {
    const atMs = Math.ceil((time.nowMs + afterMs) / tickMs) * tickMs
    return new Promise((resolve) => {
      const together = answers.get(atMs)
      if (together !== undefined) return void together.push(resolve)
      const answering = [resolve]
      answers.set(atMs, answering)
      time.schedule(() => {
        answers.delete(atMs)
        for (const answer of answering) answer()
      }, atMs - time.nowMs)
    })
  }

  /** The beginning of the id is the number of the event. */
  const afterMs = (xEventId: string) => {
    const number = parseInt(xEventId.slice(0, 8), 16)
    return time.nowMs - (published.findLast(({ from }) => from <= number)?.atMs ?? 0)
  }
  const sent: Seen[] = []
  const delivered: Seen[] = []
  const open = new Map<number, number>()
  let mostPerEndpoint = 0
  const numberOf = (url: string) => Number(new URL(url).hostname.split('.')[0])
  const worker: DeliveryWorker = createDeliveryWorker({
    store: {
      claimDue: (request) => moved(webhooks.claimDue(request)),
      claimExpired: (request) => moved(webhooks.claimExpired(request)),
      settle: (settlements) => moved(webhooks.settle(settlements)),
    },
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, ...granted })) },
    signingKeys: { current: async (appIds) => appIds.map(() => ({ key: 'kyc_live_example', version: 1 })) },
    now: () => time.now(),
    random: () => 0.5,
    timers: time,
    options,
    send: async ({ url, headers, timeoutMs }) => {
      const endpoint = numberOf(url)
      const mine = (open.get(endpoint) ?? 0) + 1
      open.set(endpoint, mine)
      mostPerEndpoint = Math.max(mostPerEndpoint, mine)
      sent.push({ endpoint, afterMs: afterMs(headers['x-event-id'] ?? '') })
      const tookMs = temper(endpoint, time.monotonicMs())
      await answered(tookMs === 'hangs' ? Math.floor(timeoutMs / tickMs) * tickMs : tookMs)
      open.set(endpoint, (open.get(endpoint) ?? 0) - 1)
      if (tookMs === 'hangs') return reportOfCause('TIMEOUT')
      return { ...reportOfCause('HTTP_STATUS'), cause: null, status: 200 }
    },
    onSettled: ({ delivery, settlement }) => {
      if (settlement.next.state !== 'DELIVERED') return
      delivered.push({ endpoint: numberOf(delivery.endpoint.url), afterMs: afterMs(delivery.xEventId) })
    },
  })
  return { time, worker, publish, sent, delivered, mostPerEndpoint: () => mostPerEndpoint }
}

const appOf = (i: string) => `printf('0a000000-0000-7000-8000-%012d', (${i} - 1) / ${endpointsPerApp})`
