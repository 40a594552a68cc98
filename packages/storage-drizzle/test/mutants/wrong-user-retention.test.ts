import type { UserRetention } from '../../src/user-retention/user-retention.js'
import { userRetentionCases } from '../../src/testing/index.js'
import { testTheCases, type Spoil, type WrongStorage } from './wrong-storage.js'

const wrong =
  (change: (right: UserRetention) => Partial<UserRetention>): Spoil =>
  ({ userRetention }) => ({ userRetention: { ...userRetention, ...change(userRetention) } })

/** Runs SQL before the retention, or after it. */
const aroundRetention =
  (before: string, after = 'SELECT 1'): Spoil =>
  ({ retention }, { database }) => ({
    retention: {
      async removeOld(policy) {
        database.exec(before)
        const removed = await retention.removeOld(policy)
        database.exec(after)
        return removed
      },
    },
  })

const wrongStores: readonly WrongStorage[] = [
  [
    'keeps the first reason of a hold',
    'UR-01',
    wrong((right) => ({
      hold: async (request) => ((await right.find(request.userId)).hold === null ? right.hold(request) : 'held'),
    })),
  ],
  [
    'erases the rows of a held user',
    'UR-02',
    ({ users, userRetention }, { database }) => ({
      users: {
        ...users,
        async eraseUser(owner) {
          const { hold } = await userRetention.find(owner.userId)
          database.prepare('DELETE FROM kyc_relay_user_retention WHERE user_id = ?').run(owner.userId)
          const erased = await users.eraseUser(owner)
          if (hold !== null) await userRetention.finishErasure({ userId: owner.userId, erasureId: '' })
          return erased
        },
      },
    }),
  ],
  [
    'releases every hold at once',
    'UR-03',
    ({ userRetention }, { database }) => ({
      userRetention: {
        ...userRetention,
        async release(request) {
          const released = await userRetention.release(request)
          database.exec('UPDATE kyc_relay_user_retention SET held_at = NULL, hold_reason = NULL')
          return released
        },
      },
    }),
  ],
  [
    'forgets an erasure as soon as rows are erased',
    'UR-04',
    ({ users }, { database }) => ({
      users: {
        ...users,
        async eraseUser(owner) {
          const erased = await users.eraseUser(owner)
          database.exec(`DELETE FROM kyc_relay_user_retention WHERE erasure_id IS NOT NULL`)
          return erased
        },
      },
    }),
  ],
  [
    'marks no erasure of rows',
    'UR-05',
    ({ users }, { database }) => ({
      users: {
        ...users,
        async eraseUser(owner) {
          const erased = await users.eraseUser(owner)
          database.exec(`DELETE FROM kyc_relay_user_retention WHERE erasure_id IS NULL AND erasure_started_at > 0`)
          return erased
        },
      },
    }),
  ],
  [
    'finishes whatever erasure runs',
    'UR-06',
    ({ userRetention }, { database }) => ({
      userRetention: {
        ...userRetention,
        finishErasure({ userId }) {
          const remove = 'DELETE FROM kyc_relay_user_retention WHERE user_id = ? AND erasure_started_at IS NOT NULL'
          database.prepare(remove).run(userId)
          return Promise.resolve()
        },
      },
    }),
  ],
  [
    'closes an account that is being erased',
    'UR-14',
    ({ userRetention }, { database }) => ({
      userRetention: {
        ...userRetention,
        async close(request) {
          const { userId, closedAt } = request
          const change = 'UPDATE kyc_relay_user_retention SET closed_at = ? WHERE user_id = ?'
          const outcome = await userRetention.close(request)
          database.prepare(change).run(closedAt?.getTime() ?? null, userId)
          return outcome
        },
      },
    }),
  ],
  [
    'asks first and writes later',
    'UR-07',
    wrong((right) => ({
      async startErasure(request) {
        if ((await right.find(request.userId)).hold !== null) return 'held'
        await new Promise(setImmediate)
        const outcome = await right.startErasure(request)
        return outcome === 'held' ? 'started' : outcome
      },
    })),
  ],
  [
    'looks whether the account is closed, and erases later',
    'UR-15',
    wrong((right) => ({
      async startErasure({ closedUntil, ...request }) {
        const closedAt = (await right.find(request.userId)).closedAt
        if (closedUntil !== undefined && (closedAt === null || closedAt > closedUntil)) return 'not_due'
        await new Promise(setImmediate)
        return right.startErasure(request)
      },
    })),
  ],
  [
    'erases an account whatever its closure',
    'UR-15',
    wrong((right) => ({ startErasure: ({ closedUntil: _, ...request }) => right.startErasure(request) })),
  ],
  [
    'waits with old bodies behind those of a held user',
    'UR-08',
    aroundRetention(
      `CREATE TEMP TABLE aside AS SELECT event_id, body FROM kyc_relay_events
         WHERE user_id NOT IN (SELECT user_id FROM kyc_relay_user_retention WHERE held_at IS NOT NULL)
           AND EXISTS (SELECT 1 FROM kyc_relay_user_retention WHERE held_at IS NOT NULL);
       UPDATE kyc_relay_events SET body = NULL WHERE event_id IN (SELECT event_id FROM aside)`,
      `UPDATE kyc_relay_events SET body = (SELECT body FROM aside WHERE aside.event_id = kyc_relay_events.event_id)
         WHERE event_id IN (SELECT event_id FROM aside);
       DROP TABLE aside`,
    ),
  ],
  [
    'blanks what it had listed before the hold',
    'UR-09',
    ({ retention }, { database }) => ({
      retention: {
        async removeOld(policy) {
          const listed = database
            .prepare<[], string>('SELECT event_id FROM kyc_relay_events WHERE body IS NOT NULL LIMIT 1')
            .pluck()
            .get()
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
          database.prepare('UPDATE kyc_relay_events SET body = NULL WHERE event_id = ?').run(listed)
          return retention.removeOld(policy)
        },
      },
    }),
  ],
  [
    'keeps no fields of transactions',
    'UR-13',
    aroundRetention('SELECT 1', 'UPDATE kyc_relay_transactions SET fields = NULL'),
  ],
  ['removes the attempts of held users', 'UR-08', aroundRetention('SELECT 1', 'DELETE FROM kyc_relay_attempts')],
  [
    'blanks a body that it listed before a hold',
    'UR-09',
    ({ retention }, { database }) => ({
      retention: {
        async removeOld(policy) {
          const listed = database
            .prepare<[], string>('SELECT event_id FROM kyc_relay_events WHERE body IS NOT NULL LIMIT 1')
            .pluck()
            .get()
          const held = 'SELECT user_id FROM kyc_relay_user_retention WHERE held_at IS NOT NULL'
          const before = database.prepare(held).pluck().all()
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
          if (before.length === 0) {
            database
              .prepare(`UPDATE kyc_relay_events SET body = NULL WHERE event_id = ? AND user_id IN (${held})`)
              .run(listed)
          }
          return retention.removeOld(policy)
        },
      },
    }),
  ],
  [
    'lists held users with the others',
    'UR-10',
    wrong((right) => ({
      async listClosed(request) {
        const lists = await Promise.all([false, true].map((held) => right.listClosed({ ...request, held })))
        return lists.flat()
      },
    })),
  ],
  [
    'keeps the closure of an erased user',
    'UR-11',
    wrong((right) => ({
      async finishErasure(request) {
        const { closedAt } = await right.find(request.userId)
        await right.finishErasure(request)
        if (closedAt !== null) await right.close({ userId: request.userId, closedAt })
      },
    })),
  ],
  ['forgets', 'UR-12', 'forgets on closing'],
]

testTheCases(userRetentionCases, wrongStores)
