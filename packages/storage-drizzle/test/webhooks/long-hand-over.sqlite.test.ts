import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { endpoint, event } from '../samples.js'

// Each of these statements reads all that waits for the endpoint, which has no bound, and blocks the process meanwhile.

const statements: string[] = []

async function queueOfThreeTypes() {
  const database = new Database(':memory:', { verbose: (statement) => void statements.push(String(statement)) })
  const storage = await createSqliteStorage({ database })
  onTestFinished(() => storage.close())
  const hook = endpoint('a')
  await storage.webhooks.registerEndpoint(hook, 50)
  for (const type of ['WIDGET_KYC_INITIATION', 'WIDGET_WITHDRAW_COMPLETE', 'WIDGET_DEPOSIT_COMPLETE'])
    await storage.webhooks.insertEvent({ ...event(type, [hook]), type })
  statements.length = 0
  const states = () =>
    database.prepare('SELECT endpoint, state, count(*) AS count FROM kyc_relay_deliveries GROUP BY 1, 2').all()
  return { webhooks: storage.webhooks, hook, states }
}

const changes = () => statements.filter((statement) => /^update "kyc_relay_deliveries"/i.test(statement)).length

test('a removal cancels what waits of all types in one statement', async () => {
  const { webhooks, hook, states } = await queueOfThreeTypes()
  expect(await webhooks.removeEndpoint(hook)).toBe(true)
  expect(changes()).toBe(1)
  expect(states()).toEqual([{ endpoint: 1, state: 'CANCELLED', count: 3 }])
})

test('a replacement moves what it takes in one statement, and the rest is cancelled in another', async () => {
  const { webhooks, hook, states } = await queueOfThreeTypes()
  const replacement = { ...endpoint('b'), eventTypes: ['WIDGET_KYC_INITIATION', 'WIDGET_WITHDRAW_COMPLETE'] as const }
  expect(await webhooks.replaceEndpoint({ ...hook, replacement })).toBe('replaced')
  expect(changes()).toBe(2)
  expect(states()).toEqual([
    { endpoint: 1, state: 'CANCELLED', count: 1 },
    { endpoint: 2, state: 'PENDING', count: 2 },
  ])
})
