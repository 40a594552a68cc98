import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createSqliteStorage } from '../../../src/sqlite/index.js'
import { auditSeal, verify } from '../../audit/audit-samples.js'
import { createStartingRows, hook, other, writes } from '../../one-write-of-each-kind.js'
import { event, submission, uuid } from '../../samples.js'
import { dumpRows, testFolder } from './sqlite-files.js'

/**
 * A connection whose n-th executed statement fails as a broken disk would make it fail, BEGIN and COMMIT included.
 * Counts from `arm`; -1 never fails.
 */
function failingDatabase(path: string) {
  const database = new Database(path)
  let left = -1
  let executed = 0
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name, object)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          if (name === 'run' || name === 'get' || name === 'all') {
            executed++
            if (left === 0) {
              left = -1
              throw new Database.SqliteError('078-05-1120 in a driver message', 'SQLITE_FULL')
            }
            if (left > 0) left--
          }
          const answer: unknown = Reflect.apply(member, object, parameters)
          return answer === object || name === 'raw' ? watch(answer as object) : answer
        }
      },
    })
  const prepare = database.prepare.bind(database)
  database.prepare = (source: string) => watch(prepare(source))
  return {
    database,
    arm(after: number) {
      left = after
      executed = 0
    },
    executed: () => executed,
  }
}

async function openWithRows(path: string) {
  const failing = failingDatabase(path)
  const starting = createStartingRows()
  const storage = await createSqliteStorage({ database: failing.database }, { audit: auditSeal, ...starting.options })
  await starting.write(storage)
  return { storage, failing }
}

describe('a failure at every statement', () => {
  test.each(writes)('of $name leaves nothing behind, and the same call works afterwards', async ({ run }) => {
    const folder = testFolder()
    let failed = 0
    for (let at = 0; ; at++) {
      const { storage, failing } = await openWithRows(join(folder, `${at}.db`))
      const before = dumpRows(failing.database)
      failing.arm(at)
      const outcome = await run(storage).then(
        () => 'done',
        (error: unknown) => error,
      )
      if (outcome === 'done') {
        expect(failing.executed()).toBeLessThanOrEqual(at)
        failing.database.close()
        break
      }
      failed++
      expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, driverCode: 'SQLITE_FULL' })
      expect(`${String(outcome)} ${JSON.stringify(outcome)}`).not.toContain('078-05-1120')
      failing.arm(-1)
      expect(dumpRows(failing.database)).toBe(before)
      await expect(run(storage)).resolves.toBeDefined()
      expect(dumpRows(failing.database)).not.toBe(before)
      expect((await verify(storage.audit!)).findings).toEqual([])
      failing.database.close()
    }
    // BEGIN, the work, COMMIT: fewer would mean that the injection missed the work.
    expect(failed).toBeGreaterThanOrEqual(3)
  })

  test('of two writes in one commit leaves each of them whole or absent, as its caller is told', async () => {
    const folder = testFolder()
    const told = new Set<string>()
    for (let at = 0; ; at++) {
      const { storage, failing } = await openWithRows(join(folder, `pair ${at}.db`))
      failing.arm(at)
      const one = submission('one', { key: { userId: uuid('u2') } })
      const answers = await Promise.allSettled([
        storage.verifications.record(one),
        storage.webhooks.insertEvent(event('new', [hook, other])),
      ])
      failing.arm(-1)
      const [recorded, inserted] = answers.map(({ status }) => status === 'fulfilled')
      expect((await storage.verifications.findExisting(one.key)) !== null).toBe(recorded)
      const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 20 })
      expect(items.filter(({ eventId }) => eventId === uuid('event new'))).toHaveLength(inserted ? 2 : 0)
      told.add(`${recorded} ${inserted}`)
      const executed = failing.executed()
      failing.database.close()
      if (executed <= at) break
    }
    // A failing BEGIN or COMMIT is everybody's; a statement that fails once is done again, for both.
    expect([...told].sort()).toEqual(['false false', 'true true'])
  })

  test('of a write beside one that is refused leaves nothing behind, or nothing out', async () => {
    const folder = testFolder()
    let refused = 0
    for (let at = 0; ; at++) {
      const { storage, failing } = await openWithRows(join(folder, `${at}.db`))
      const before = dumpRows(failing.database)
      failing.arm(at)
      const [taken, published] = await Promise.allSettled([
        storage.webhooks.registerEndpoint(hook, 50),
        storage.webhooks.insertEvent(event('beside', [hook])),
      ])
      const reached = failing.executed() > at
      failing.arm(-1)
      expect(taken.status).toBe('rejected')
      if (published.status === 'rejected') {
        refused++
        expect(published.reason).toMatchObject({ code: 'STORE_UNAVAILABLE', driverCode: 'SQLITE_FULL' })
        expect(dumpRows(failing.database)).toBe(before)
        await storage.webhooks.insertEvent(event('beside', [hook]))
      }
      const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 50 })
      expect(items.filter(({ eventId }) => eventId === uuid('event beside'))).toHaveLength(1)
      failing.database.close()
      if (!reached) break
    }
    // Both times it was run, and what ends it.
    expect(refused).toBeGreaterThanOrEqual(5)
  })
})
