import type { QueueState } from '../../../src/storage/queue-inspection.js'
import { queueInspectionCases } from '../queue-inspection-cases.js'
import { testServerStores, type BehindTheStores, type Spoil, type WrongStorage } from './wrong-server-stores.js'

const spoilt =
  (change: (state: QueueState, behind: BehindTheStores) => Partial<QueueState>): Spoil =>
  ({ queue }, behind) => ({
    queue: {
      async inspectQueue() {
        const state = await queue.inspectQueue()
        return { ...state, ...change(state, behind) }
      },
    },
  })

const count = ({ database }: BehindTheStores, condition: string) =>
  database.prepare<[], number>(`SELECT count(*) FROM kyc_relay_deliveries WHERE ${condition}`).pluck().get() ?? 0

const wrongInspections: readonly WrongStorage[] = [
  [
    'has no row of an empty log',
    'QI-01',
    spoilt((_state, behind) => (count(behind, 'true') === 0 ? { waiting: NaN } : {})),
  ],
  ['stops counting at two', 'QI-02', spoilt(({ waiting }) => ({ waiting: Math.min(2, waiting) }))],
  [
    'counts endpoints instead of attempts in flight',
    'QI-03',
    spoilt(({ inFlight }) => ({ inFlight: Math.min(1, inFlight) })),
  ],
  [
    'tells for how long the newest is due',
    'QI-04',
    spoilt(({ oldestDueMs }, { database, now }) => {
      const newest = database
        .prepare<[number], number>('SELECT max(due_at) FROM kyc_relay_deliveries WHERE due_at <= ?')
        .pluck()
        .get(now().getTime())
      return newest == null ? {} : { oldestDueMs: oldestDueMs === 0 ? 0 : now().getTime() - newest }
    }),
  ],
  [
    'takes an empty queue for one that waits since 1970',
    'QI-01',
    spoilt(({ waiting }, { now }) => (waiting === 0 ? { oldestDueMs: now().getTime() } : {})),
  ],
  [
    'counts what its own handle published',
    'QI-02',
    ({ queue, webhooks }) => {
      let published = 0
      return {
        webhooks: {
          ...webhooks,
          insertEvent(event) {
            published += event.deliveries.length
            return webhooks.insertEvent(event)
          },
        },
        queue: { inspectQueue: async () => ({ ...(await queue.inspectQueue()), waiting: published }) },
      }
    },
  ],
  ['counts what is under way as waiting', 'QI-03', spoilt((state) => ({ waiting: state.waiting + state.inFlight }))],
  ['never knows for how long', 'QI-04', spoilt(() => ({ oldestDueMs: 0 }))],
  [
    'counts what is due alone',
    'QI-05',
    spoilt((_state, behind) => ({ waiting: count(behind, `due_at <= ${behind.now().getTime()}`) })),
  ],
  ['counts the whole log', 'QI-06', spoilt((state, behind) => ({ waiting: count(behind, 'true') - state.inFlight }))],
  [
    'counts a slow receiver as a lack of workers',
    'QI-08',
    spoilt((_state, { database, now }) => {
      const due = database
        .prepare<[], number>('SELECT min(next_due_at) FROM kyc_relay_endpoint_schedules')
        .pluck()
        .get()
      return due == null ? {} : { oldestDueMs: Math.max(0, now().getTime() - due) }
    }),
  ],
  [
    'counts from the last attempt',
    'QI-09',
    spoilt((_state, { database, now }) => {
      const since = database
        .prepare<[], number>('SELECT min(waiting_since) FROM kyc_relay_endpoint_schedules WHERE in_flight = 0')
        .pluck()
        .get()
      return since == null ? {} : { oldestDueMs: Math.max(0, now().getTime() - since) }
    }),
  ],
  [
    'takes an ended lease for an attempt in flight',
    'QI-10',
    spoilt(({ inFlight }) => (inFlight === 0 ? {} : { oldestDueMs: 0 })),
  ],
  ['forgets', 'QI-07', 'forgets on closing'],
]

testServerStores(queueInspectionCases, wrongInspections)
