import Database from 'better-sqlite3'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { endpoint, startOfTests, uuid } from '../samples.js'
import { storeEngines, type Stores } from './store-engines.js'

const { engines, guard } = storeEngines(() => startOfTests)
const former = { names: ['X-Tenant'], sealed: 'sealed', dataKey: 'former' }
const fresh = { names: ['X-Tenant'], sealed: 'sealed', dataKey: 'fresh' }
/** Three endpoints of two apps with headers, and one without. */
const some = [
  endpoint('one', uuid('app b')),
  ...['two', 'three'].map((name) => endpoint(name, uuid('app a'))),
  endpoint('four', uuid('app c')),
].map((one, index) => ({ ...one, headers: index < 3 ? former : null }))
const inOrder = some
  .filter(({ headers }) => headers !== null)
  .map(({ appId, endpointId, headers }) => ({ appId, endpointId, headers }))
  .sort((one, other) => (one.appId + one.endpointId < other.appId + other.endpointId ? -1 : 1))

describe.each(engines)('static headers on $engine', ({ start, open, stop }) => {
  let stores: Stores
  beforeAll(start)
  afterAll(stop)
  beforeEach(async () => {
    stores = await open()
    for (const one of some) await stores.webhooks.registerEndpoint(one, 5)
    return () => stores.close()
  })

  test('are listed in pages, over all apps', async () => {
    const { endpointHeaders: store } = stores
    const first = await store.pageHeaders({ limit: 2 })
    expect(first).toEqual(inOrder.slice(0, 2))
    expect(await store.pageHeaders({ limit: 2, after: first[1]! })).toEqual(inOrder.slice(2))
    expect(await store.pageHeaders({ limit: 2, after: inOrder[2]! })).toEqual([])
  })

  test('are replaced once, and only as they were', async () => {
    const { endpointHeaders: store, webhooks } = stores
    const [{ appId, endpointId }] = inOrder as [(typeof inOrder)[0]]
    expect(await store.replaceSealedHeaders({ appId, endpointId, former, fresh })).toBe(true)
    expect(await store.replaceSealedHeaders({ appId, endpointId, former, fresh })).toBe(false)
    expect(await store.replaceSealedHeaders({ appId: uuid('x'), endpointId, former: fresh, fresh: former })).toBe(false)
    const found = (await webhooks.listEndpoints(appId)).find((one) => one.endpointId === endpointId)
    expect(found?.headers).toEqual(fresh)
  })

  test('are not kept after a removal or a replacement', async () => {
    const { endpointHeaders: store, webhooks } = stores
    for (const { appId, endpointId } of inOrder.slice(1)) await webhooks.removeEndpoint({ appId, endpointId })
    const [{ appId, endpointId }] = inOrder as [(typeof inOrder)[0]]
    const { headers: _, ...replacement } = endpoint('new', appId)
    expect(await webhooks.replaceEndpoint({ appId, endpointId, replacement })).toBe('replaced')
    expect(await store.pageHeaders({ limit: 10 })).toEqual([])
  })
})

test('headers of all apps are read over all shards', () => {
  expect([...guard.readsOverAll]).toEqual(['kyc_relay_endpoints'])
})

test('removed headers are gone from the file', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kyc-relay-headers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'kyc.db')
  const stores = await createSqliteStorage({ path: file })
  const canary = 'canary-of-sealed-headers'
  const one = { ...endpoint('one'), headers: { names: ['X-Tenant'], sealed: canary, dataKey: 'key' } }
  await stores.webhooks.registerEndpoint(one, 5)
  await stores.webhooks.removeEndpoint(one)
  await stores.close()
  new Database(file).pragma('wal_checkpoint(TRUNCATE)')
  expect((await readFile(file)).includes(canary)).toBe(false)
})
