import { operatorReadsCases } from '../operator-reads-cases.js'
import { testServerStores, type Spoil, type WrongStorage } from './wrong-server-stores.js'
import type { OperatorReads } from '../../../src/storage/operator-reads.js'

const spoilt =
  (change: (reads: OperatorReads) => Partial<OperatorReads>): Spoil =>
  ({ operatorReads }) => ({ operatorReads: { ...operatorReads, ...change(operatorReads) } })

const wrongReads: readonly WrongStorage[] = [
  [
    'lists apps again on each page',
    'OR-01',
    spoilt((reads) => ({ listApps: ({ limit }) => reads.listApps({ limit }) })),
  ],
  [
    'lists users in any order',
    'OR-02',
    spoilt((reads) => ({ listUsers: async (page) => [...(await reads.listUsers(page))].reverse() })),
  ],
  [
    'lists users again on each page',
    'OR-02',
    spoilt((reads) => ({ listUsers: ({ after: _after, ...page }) => reads.listUsers(page) })),
  ],
  [
    'begins every page of deliveries at the newest',
    'OR-04',
    spoilt((reads) => ({ listDeliveries: ({ before: _before, ...page }) => reads.listDeliveries(page) })),
  ],
  [
    'ignores the reference',
    'OR-03',
    spoilt((reads) => ({
      listUsers: ({ externalReferenceId: _reference, ...page }) => reads.listUsers(page),
    })),
  ],
  [
    'lists the deliveries of one app',
    'OR-04',
    spoilt((reads) => ({
      async listDeliveries(page) {
        const [newest] = await reads.listDeliveries({ limit: 1 })
        return reads.listDeliveries({ ...page, appId: newest?.appId })
      },
    })),
  ],
  [
    'ignores the state',
    'OR-05',
    spoilt((reads) => ({ listDeliveries: ({ state: _state, ...page }) => reads.listDeliveries(page) })),
  ],
  [
    'pages withheld events without a place',
    'OR-06',
    spoilt((reads) => ({ listWithheld: ({ before: _before, ...page }) => reads.listWithheld(page) })),
  ],
  [
    'lists what is withheld of known apps alone',
    'OR-09',
    spoilt((reads) => ({
      async listWithheld(page) {
        const known = await reads.listApps({ limit: 200 })
        const rows = await reads.listWithheld(page)
        return rows.filter((row) => known.some(({ appId }) => appId === row.appId))
      },
    })),
  ],
  [
    'counts what is in flight as waiting',
    'OR-07',
    spoilt((reads) => ({
      listQueue: async (page) =>
        (await reads.listQueue(page)).map((row) => ({ ...row, waiting: row.waiting + row.inFlight })),
    })),
  ],
  [
    'lists moves newest first',
    'OR-08',
    spoilt((reads) => ({
      async findTransaction(id) {
        const found = await reads.findTransaction(id)
        return found === null ? null : { ...found, moves: [...found.moves].reverse() }
      },
    })),
  ],
]

testServerStores(operatorReadsCases, wrongReads)
