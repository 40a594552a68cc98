import pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { sized } from '../../../../scripts/test-sizes.js'
import { VirtualTime } from '../../../webhooks/test/delivery/virtual-time.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import {
  describeManyEndpoints,
  endpointUrl,
  endpointsPerApp,
  xEventId,
  type StoreOfEndpoints,
  type WorldSize,
} from './many-endpoints.js'
import { endpoint, event, uuid } from '../samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

/** A tenth of the endpoints has more to send than half of the places. */
const size = sized<WorldSize>(
  {
    endpoints: 300,
    worker: { concurrency: 40, maxOpen: 160, maxBatch: 20 },
    backlog: 5_000,
    seconds: 5,
    leastOfBacklog: 250,
  },
  { endpoints: 2_000, worker: {}, backlog: 20_000, seconds: 20, leastOfBacklog: 500 },
)

const made = Array.from({ length: size.endpoints }, (_, index) => {
  const number = index + 1
  const appId = uuid(`app ${Math.floor(index / endpointsPerApp)}`)
  return { ...endpoint(`${number}`, appId), url: endpointUrl(number) }
})

let server: PostgresServer
/** A database with all endpoints and nothing else, which every world is a copy of. */
let template: string
beforeAll(async () => {
  server = await startPostgres()
  template = await server.createDatabase()
  const storage = await createPostgresStorage({ connectionString: template }, { clock: () => new VirtualTime().now() })
  for (const one of made) await storage.webhooks.registerEndpoint(one, endpointsPerApp)
  await storage.close()
})
afterAll(() => server.stop())

/**
 * The store on a database of its own. One call after the other on one connection without time-outs, so that every run is
 * the same, however busy the machine is.
 */
async function openEndpoints(time: VirtualTime): Promise<StoreOfEndpoints> {
  const pool = new pg.Pool({ connectionString: await server.createDatabase({ template }), max: 1 })
  const { webhooks, close } = await createPostgresStorage({ pool }, { clock: () => time.now(), notify: false })
  onTestFinished(async () => {
    await close()
    await pool.end()
  })
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  async function publish(request: { first: number; last: number; each: number; from: number }): Promise<number> {
    let number = request.from - 1
    for (let first = request.first; first <= request.last; first += endpointsPerApp) {
      const ofApp = made.slice(first - 1, Math.min(first - 1 + endpointsPerApp, request.last))
      for (let n = 0; n < request.each; n += 1) {
        number += 1
        const prepared = event(`${number}`, ofApp, {
          appId: ofApp[0]?.appId ?? '',
          type: 'WIDGET_DEPOSIT_COMPLETE',
        })
        const deliveries = prepared.deliveries.map((delivery, index) => ({
          ...delivery,
          xEventId: xEventId(number, first + index),
        }))
        await inTurn(() => webhooks.insertEvent({ ...prepared, deliveries }))
      }
    }
    return number
  }
  return {
    webhooks: {
      claimDue: (request) => inTurn(() => webhooks.claimDue(request)),
      claimExpired: (request) => inTurn(() => webhooks.claimExpired(request)),
      recordAttemptResults: (results) => inTurn(() => webhooks.recordAttemptResults(results)),
    },
    publish,
  }
}

describeManyEndpoints(size, openEndpoints)
