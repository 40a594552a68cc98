/**
 * Sends an event from a transaction of `pg` and one from a transaction of Drizzle, and uses a vault and a deduplication
 * store. Its argument is the connection string of an empty database. Prints `done`.
 */
export const postgresProgram = `import { deepEqual, equal } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import {
  createPostgresDeduplicationStore,
  createPostgresStorage,
  createPostgresVault,
  insertEvent,
} from '@kyc-relay/storage-drizzle/postgres'
import { createWebhooks, uuidv7 } from '@kyc-relay/webhooks/delivery'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'

const connectionString = process.argv[2]
const storage = await createPostgresStorage({ connectionString })
const [appId, userId, accountId] = [uuidv7(), uuidv7(), uuidv7()]
const user = { accountId, appName: 'Shop', externalReferenceId: 'customer-1042', scopes: ['MAKE_PAYOUT_SEND'] }
const sent = []
let endSending
const bothSent = new Promise((resolve) => (endSending = resolve))
const webhooks = createWebhooks({
  storage,
  grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, ...user })) },
  signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: 'kyc_key_example_only', version: 1 })) },
  send: async ({ body }) => {
    if (sent.push(JSON.parse(new TextDecoder().decode(body)).amount) === 2) endSending()
    return { status: 200 }
  },
})
await webhooks.start()
await webhooks.registerEndpoint({ appId, url: 'https://partner.example.com/hooks' })
const prepare = (amount) =>
  webhooks.prepare({ appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount } })

const pool = new pg.Pool({ connectionString })
await pool.query('CREATE TABLE deposits (amount integer)')
const client = await pool.connect()
await client.query('BEGIN')
await client.query('INSERT INTO deposits VALUES (1)')
equal((await webhooks.publishIn(client, await prepare(1))).status, 'QUEUED')
await client.query('COMMIT')
client.release()
await drizzle(pool).transaction(async (transaction) => {
  equal((await webhooks.publishIn(transaction, await prepare(2))).status, 'QUEUED')
})
const outside = await insertEvent(pool, await prepare(3)).catch(({ code }) => code)
equal(outside, 'TRANSACTION_REQUIRED')
await bothSent
deepEqual(sent.sort(), [1, 2])
await webhooks.stop()

const keys = parseKeyFile(createKeyFile({ randomBytes, now: new Date() }))
const vault = await createPostgresVault({ connectionString }, { cipher: createLocalCipher({ keys }) })
const owner = { appId, userId }
const [{ token }] = await vault.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }])
equal(await vault.reveal({ owner, token, actor: 'ops@example.com', purpose: 'test' }), '078-05-1120')
const deduplication = await createPostgresDeduplicationStore({ connectionString })
equal((await deduplication.claim({ eventId: uuidv7(), leaseMs: 1000 })).kind, 'claimed')

await pool.end()
for (const each of [deduplication, vault, storage]) await each.close()
equal(await storage.webhooks.listEndpoints(appId).catch(({ code }) => code), 'STORE_CLOSED')
console.log('done')
`
