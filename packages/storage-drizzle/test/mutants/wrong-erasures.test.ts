import type { ErasedRows, UserErasure } from '../../src/erasure/user-erasure.js'
import { StorageError } from '../../src/storage-error.js'
import { userErasureCases } from '../../src/testing/index.js'
import { testTheCases, type BehindTheStores, type Spoil, type WrongStorage } from './wrong-storage.js'

type Owner = Parameters<UserErasure['eraseUser']>[0]

/** Erases, and then does something more. */
const andThen =
  (more: (behind: BehindTheStores, owner: Owner) => void): Spoil =>
  ({ users }, behind) => ({
    users: {
      ...users,
      async eraseUser(owner) {
        const erased = await users.eraseUser(owner)
        more(behind, owner)
        return erased
      },
    },
  })
const sql = (text: string): Spoil => andThen(({ database }) => void database.exec(text))
const answers = (change: (erased: ErasedRows) => Partial<ErasedRows>): Spoil => {
  return ({ users }) => ({
    users: {
      ...users,
      async eraseUser(owner) {
        const erased = await users.eraseUser(owner)
        return { ...erased, ...change(erased) }
      },
    },
  })
}

/** Records results, and then does something more. */
const afterResults =
  (text: string): Spoil =>
  ({ webhooks }, { database }) => ({
    webhooks: {
      ...webhooks,
      async recordAttemptResults(results) {
        const answer = await webhooks.recordAttemptResults(results)
        database.exec(text)
        return answer
      },
    },
  })

const wrongErasures: readonly WrongStorage[] = [
  ['does not say which photos are to be removed', 'UE-01', answers(() => ({ photoJobIds: [] }))],
  ['does not count transactions', 'UE-01', answers(() => ({ transactionsBlanked: 0 }))],
  ['counts an erasure as a move', 'UE-04', sql('UPDATE kyc_relay_transactions SET revision = revision + 1')],
  [
    'blanks the bodies of all users of the app',
    'UE-09',
    andThen(({ database }, { appId }) => {
      database.prepare('UPDATE kyc_relay_events SET body = NULL WHERE app_id = ?').run(appId)
    }),
  ],
  [
    'cancels for another reason',
    'UE-02',
    sql(`UPDATE kyc_relay_deliveries SET cancel_reason = 'GRANT_REVOKED' WHERE state = 'CANCELLED'`),
  ],
  [
    'leaves the bodies of what was delivered',
    'UE-03',
    sql(`UPDATE kyc_relay_events SET body = x'7b7d' WHERE position IN
      (SELECT event FROM kyc_relay_deliveries WHERE state = 'DELIVERED')`),
  ],
  ['removes transactions as a whole', 'UE-04', sql('DELETE FROM kyc_relay_transactions')],
  ['removes the KYC status', 'UE-05', sql(`UPDATE kyc_relay_verifications SET next_status = 'UNVERIFIED'`)],
  [
    'removes attempts that have ended as a whole',
    'UE-06',
    sql('DELETE FROM kyc_relay_attempts WHERE ended_at IS NOT NULL'),
  ],
  [
    'forgets the attempt in flight',
    'UE-07',
    afterResults(`UPDATE kyc_relay_deliveries SET state = 'PENDING', due_at = 0, ended_at = NULL, cancel_reason = NULL
      WHERE state = 'CANCELLED' AND cancel_requested IS NOT NULL`),
  ],
  [
    'keeps the answer to the attempt in flight',
    'UE-14',
    afterResults(`UPDATE kyc_relay_attempts SET response_body = x'00' WHERE delivery IN
      (SELECT position FROM kyc_relay_deliveries WHERE cancel_requested IS NOT NULL)`),
  ],
  [
    'names the photos once',
    'UE-08',
    ({ users }) => {
      const named = new Set<string>()
      return {
        users: {
          ...users,
          async eraseUser(owner) {
            const erased = await users.eraseUser(owner)
            const photoJobIds = erased.photoJobIds.filter((id) => !named.has(id))
            photoJobIds.forEach((id) => named.add(id))
            return { ...erased, photoJobIds }
          },
        },
      }
    },
  ],
  [
    'erases nothing without a user',
    'UE-15',
    ({ users }) => ({
      users: {
        ...users,
        eraseUser: (owner) => users.eraseUser(Object.assign({ userId: 'nobody' }, owner)),
      },
    }),
  ],
  ['blanks the bodies of the whole app', 'UE-09', sql('UPDATE kyc_relay_events SET body = NULL')],
  [
    'erases the user in every app',
    'UE-10',
    ({ users }) => ({
      users: {
        ...users,
        async eraseUser(owner) {
          const erased = await users.eraseUser(owner)
          for (const appId of await users.listAppsOfUser(owner.userId)) await users.eraseUser({ ...owner, appId })
          return erased
        },
      },
    }),
  ],
  [
    'knows of no grants',
    'UE-11',
    ({ users, apps }) => ({
      users: {
        ...users,
        async listAppsOfUser(userId) {
          const granted = new Set((await apps.listGrantsOfUser(userId)).map(({ appId }) => appId))
          return (await users.listAppsOfUser(userId)).filter((appId) => !granted.has(appId))
        },
      },
    }),
  ],
  [
    'keeps the digests of submissions',
    'UE-13',
    sql(`UPDATE kyc_relay_verifications SET payload_digest = x'00' WHERE payload_digest IS NULL`),
  ],
  [
    'forgets when an erasure ended',
    'UE-16',
    ({ userRetention }, { database }) => ({
      userRetention: {
        ...userRetention,
        async finishErasure(erasure) {
          await userRetention.finishErasure(erasure)
          database.exec('UPDATE kyc_relay_user_retention SET erased_at = NULL')
        },
      },
    }),
  ],
  [
    'refuses what arrives as the erasure ends',
    'UE-16',
    ({ verifications }) => ({
      verifications: {
        ...verifications,
        record: (submission) =>
          verifications.record({ ...submission, recordedAt: new Date(submission.recordedAt.getTime() - 1) }),
      },
    }),
  ],
  [
    'looks whether an erasure runs, and records later',
    'UE-17',
    ({ verifications }, { database }) => ({
      verifications: {
        ...verifications,
        async record(submission) {
          const { userId } = submission.key
          const runs = database
            .prepare(
              `SELECT 1 FROM kyc_relay_user_retention
              WHERE user_id = ? AND (erasure_started_at IS NOT NULL OR erased_at > ?)`,
            )
            .get(userId, submission.recordedAt.getTime())
          if (runs !== undefined) return verifications.record(submission)
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
          database.prepare('DELETE FROM kyc_relay_user_retention WHERE user_id = ?').run(userId)
          return verifications.record(submission)
        },
      },
    }),
  ],
  [
    'looks whether an erasure runs before it looks for the key',
    'UE-18',
    ({ verifications }, { database }) => ({
      verifications: {
        ...verifications,
        async record(submission) {
          const running = database
            .prepare('SELECT 1 FROM kyc_relay_user_retention WHERE user_id = ? AND erasure_started_at IS NOT NULL')
            .get(submission.key.userId)
          if (running !== undefined) throw new StorageError('ERASURE_IN_PROGRESS')
          return verifications.record(submission)
        },
      },
    }),
  ],
  ['forgets', 'UE-12', 'forgets on closing'],
]

testTheCases(userErasureCases, wrongErasures)
