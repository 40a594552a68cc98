// Delivers queues with the packages of one checkout, for `against-deliveries.mjs`. Arguments: the folder `bench` of the
// checkout, `sqlite` or `postgres`, and `sealed` or `clear`. It says when it is ready. Then each message is the length of a
// queue, and the answer is its pace; 0 ends it.
import { createRequire } from 'node:module'
import path from 'node:path'
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

async function deliver(count) {
  for (let first = 0; first < count; first += 256)
    await Promise.all(Array.from({ length: Math.min(256, count - first) }, () => delivering.publish()))
  left = count
  const done = new Promise((resolve) => (finished = resolve))
  const startedAt = performance.now()
  isOpen = true
  delivering.wake()
  await done
  isOpen = false
  return (count * 1_000) / (performance.now() - startedAt)
}

process.on('message', async (count) => {
  if (count > 0) return process.send(await deliver(count))
  await delivering.stop()
  await client.close()
  sink.stop()
  await vault?.close()
  await storage.close()
  await stop()
  process.disconnect()
})
process.send('ready')
