import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import { createWebhooks, uuidv7 } from '@kyc-relay/webhooks/delivery'
import { createNodeWebhookHandler } from '@kyc-relay/webhooks/node'
import Database from 'better-sqlite3'

const [appId, userId, accountId] = [uuidv7(), uuidv7(), uuidv7()]
const user = { accountId, appName: 'Shop', externalReferenceId: 'customer-1042', scopes: ['MAKE_PAYOUT_SEND'] }
const apiKey = 'kyc_key_example_only' // the partner has it too

const receive = createNodeWebhookHandler({ secrets: apiKey, onEvent: ({ type }) => receiver.emit('verified', type) })
const receiver = createServer((request, response) => void receive(request, response)) // the partner's
await once(receiver.listen(0, 'localhost'), 'listening')

const database = new Database('shop.db')
const storage = await createSqliteStorage({ database })
const webhooks = createWebhooks({
  storage,
  grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, ...user })) },
  signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: apiKey, version: 1 })) },
  urls: { allowPlainHttpLocalhost: true }, // for development only
})
await webhooks.start()
await webhooks.registerEndpoint({ appId, url: `http://localhost:${(receiver.address() as AddressInfo).port}/` })

database.exec('CREATE TABLE IF NOT EXISTS deposits (user_id TEXT, amount REAL)')
const event = await webhooks.prepare({ appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } })
const deposit = database.transaction(() => {
  database.prepare('INSERT INTO deposits VALUES (?, ?)').run(userId, 100.5)
  return webhooks.publishIn(database, event) // one commit for your row and the event
})
const verified = once(receiver, 'verified') as Promise<string[]>
console.log(deposit.immediate().status, ...(await verified)) // QUEUED WIDGET_DEPOSIT_COMPLETE

await webhooks.stop()
await storage.close()
receiver.close()
