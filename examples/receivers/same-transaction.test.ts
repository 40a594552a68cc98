import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteDeduplicationStore } from '@kyc-relay/storage-drizzle/sqlite'
import { signWebhook } from '@kyc-relay/webhooks'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createReceiver } from './same-transaction.js'

const apiKey = 'kyc_key_example_only'

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'same-transaction-'))
  const database = new Database(join(folder, 'shop.db'))
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  database.exec("CREATE TABLE balances (customer TEXT, amount REAL); INSERT INTO balances VALUES ('Zoë-1042', 0)")
  await createSqliteDeduplicationStore({ database })
  const reported: unknown[] = []
  const receive = createReceiver(database, apiKey, (error) => reported.push(error))
  const body = '{"eventType":"WIDGET_DEPOSIT_COMPLETE","externalReferenceId":"Zoë-1042","amount":100.5}'
  const signature = await signWebhook(body, apiKey)
  const deliver = async (eventId: string) => {
    const headers = { 'x-hmac-signature': signature, 'x-event-id': eventId }
    return (await receive(new Request('https://receiver.example/', { method: 'POST', headers, body }))).status
  }
  const balance = () => database.prepare('SELECT amount FROM balances').pluck().get()
  return { database, deliver, balance, reported }
}

test('five copies of one event credit once, another event credits again', async () => {
  const { deliver, balance } = await start()
  const copies = Array.from({ length: 5 }, () => deliver('0198c0de-0000-7000-8000-000000000001'))
  expect(await Promise.all(copies)).toEqual([200, 200, 200, 200, 200])
  expect(balance()).toBe(100.5)
  await deliver('0198c0de-0000-7000-8000-000000000002')
  expect(balance()).toBe(201)
})

test('a credit that fails leaves no mark: the next attempt credits', async () => {
  const { database, deliver, balance, reported } = await start()
  database.exec(
    "CREATE TRIGGER closed BEFORE UPDATE ON balances BEGIN SELECT RAISE(ABORT, 'the books are closed'); END",
  )
  expect(await deliver('0198c0de-0000-7000-8000-000000000001')).toBe(500)
  expect(reported).toHaveLength(1)
  database.exec('DROP TRIGGER closed')
  expect(await deliver('0198c0de-0000-7000-8000-000000000001')).toBe(200)
  expect(balance()).toBe(100.5)
})
