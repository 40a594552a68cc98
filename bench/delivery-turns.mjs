// Delivers queues with the packages of one checkout, for `deliveries.bench.mjs` and `against-deliveries.mjs`. Arguments: the
// folder `bench` of the checkout, `sqlite` or `postgres`, and `sealed` or `clear`.
import { createRequire } from 'node:module'
import path from 'node:path'
import { takeQueues } from './contender.mjs'
import { createDelivering, sinkClient } from './delivering-worker.mjs'
import { startSink, temporaryFolder } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'
import { cipher } from './sealed-bodies.mjs'

const [folder, engine, bodies] = process.argv.slice(2)
const load = createRequire(path.join(folder, 'package.json'))
const { createDeliveryWorker } = load('@kyc-relay/webhooks/delivery')
/** Commit `ea07280` knows the observer under an older name, which later ones refuse. */
function createWorker(deps) {
  const onSettled = ({ fate, settlement }) => deps.onResultWritten({ outcome: fate, result: settlement })
  try {
    return createDeliveryWorker({ ...deps, onSettled })
  } catch {
    return createDeliveryWorker(deps)
  }
}

async function openSqlite() {
  const { createSqliteStorage, createSqliteVault } = load('@kyc-relay/storage-drizzle/sqlite')
  const files = temporaryFolder()
  return {
    storage: await createSqliteStorage({ path: path.join(files, 'kyc.db') }),
    openVault: () => createSqliteVault({ path: path.join(files, 'vault.db') }, { cipher }),
    stop: async () => {},
  }
}

async function openPostgres() {
  const { createPostgresStorage, createPostgresVault } = load('@kyc-relay/storage-drizzle/postgres')
  const server = await startPostgres()
  const location = { connectionString: server.url, maxConnections: 10 }
  return {
    storage: await createPostgresStorage(location),
    openVault: () => createPostgresVault(location, { cipher }),
    stop: server.stop,
  }
}

const { storage, openVault, stop } = engine === 'sqlite' ? await openSqlite() : await openPostgres()
const vault = bodies === 'sealed' ? await openVault() : undefined
const sink = await startSink()
const client = sinkClient(sink.url)
let left = 0
let finished = () => {}
/** The worker runs all the time, and claims nothing while its queue is filled. */
let isOpen = false
const delivering = await createDelivering(
  storage.webhooks,
  client,
  () => {
    if (--left === 0) finished()
  },
  { createWorker, bodySealer: vault?.bodySealer, isOpen: () => isOpen },
)
delivering.start()

async function fill(count) {
  for (let first = 0; first < count; first += 256)
    await Promise.all(Array.from({ length: Math.min(256, count - first) }, () => delivering.publish()))
}

async function drain(count) {
  left = count
  const done = new Promise((resolve) => (finished = resolve))
  isOpen = true
  delivering.wake()
  await done
  isOpen = false
}

takeQueues({
  sink,
  fill,
  drain,
  async close() {
    await delivering.stop()
    await client.close()
    await vault?.close()
    await storage.close()
    await stop()
  },
})
