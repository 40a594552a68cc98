import type { Retention, RetentionPolicy } from '../../src/retention/retention.js'
import { retentionCases } from '../../src/testing/index.js'
import { testTheCases, type Spoil, type WrongStorage } from './wrong-storage.js'

const day = 86_400_000

const withPolicy =
  (change: (policy: RetentionPolicy) => RetentionPolicy): Spoil =>
  ({ retention }) => ({ retention: { removeOld: (policy = {}) => retention.removeOld(change(policy)) } })

/** Leaves out the ages that do not satisfy a condition. */
const onlyAges = (
  { limit = 1_000, ...ages }: RetentionPolicy,
  satisfies: (age: number) => boolean,
): RetentionPolicy => ({
  ...Object.fromEntries(Object.entries(ages).filter(([, age]) => satisfies(age))),
  limit,
})

const andThen =
  (sql: string): Spoil =>
  ({ retention }, { database }) => {
    const removeOld: Retention['removeOld'] = async (policy) => {
      const removed = await retention.removeOld(policy)
      database.exec(sql)
      return removed
    }
    return { retention: { removeOld } }
  }

/** A row of the table. */
interface AccessToken {
  readonly hash: Uint8Array
}

const wrongRetentions: readonly WrongStorage[] = [
  ['is a millisecond early', 'RT-01', withPolicy((policy) => ({ bodyAgeMs: 30 * day - 1, ...policy }))],
  [
    'is a millisecond early for what was delivered',
    'RT-01',
    ({ retention }, { database, now }) => ({
      retention: {
        removeOld(policy) {
          database
            .prepare(
              `UPDATE kyc_relay_events SET body = NULL WHERE created_at = ? AND position IN
                (SELECT event FROM kyc_relay_deliveries WHERE state = 'DELIVERED')`,
            )
            .run(now().getTime() - 30 * day)
          return retention.removeOld(policy)
        },
      },
    }),
  ],
  [
    'resends without a body',
    'RT-02',
    ({ webhooks }) => ({
      webhooks: {
        ...webhooks,
        async resendDelivery(request) {
          const answer = await webhooks.resendDelivery(request)
          return answer === 'not_found' ? 'resent' : answer
        },
      },
    }),
  ],
  [
    'is a millisecond early with attempts',
    'RT-03',
    withPolicy((policy) => ({ attemptAgeMs: 90 * day - 1, ...policy })),
  ],
  [
    'blanks every body after a year',
    'RT-04',
    ({ retention }, { database, now }) => ({
      retention: {
        removeOld(policy) {
          const yearAgo = now().getTime() - 365 * day
          database.prepare('UPDATE kyc_relay_events SET body = NULL WHERE created_at < ?').run(yearAgo)
          return retention.removeOld(policy)
        },
      },
    }),
  ],
  [
    'does not tell that there is more',
    'RT-05',
    ({ retention }) => ({
      retention: { removeOld: async (policy) => ({ ...(await retention.removeOld(policy)), more: false }) },
    }),
  ],
  [
    'is a millisecond early with tokens',
    'RT-07',
    withPolicy((policy) => ({ expiredTokenAgeMs: 7 * day - 1, ...policy })),
  ],
  [
    'removes tokens for as long as it is open',
    'RT-10',
    ({ retention, apps }, { database }) => {
      const removed = new Set<string>()
      return {
        apps: {
          ...apps,
          findAccessToken: async (hash, now) => (removed.has(String(hash)) ? null : apps.findAccessToken(hash, now)),
        },
        retention: {
          async removeOld(policy) {
            const read = () => database.prepare<[], AccessToken>('SELECT * FROM kyc_relay_access_tokens').all()
            const before = read()
            const answer = await retention.removeOld(policy)
            const left = new Set(read().map(({ hash }) => String(hash)))
            for (const token of before.filter(({ hash }) => !left.has(String(hash)))) {
              removed.add(String(new Uint8Array(token.hash)))
              const names = Object.keys(token)
              const places = names.map(() => '?').join()
              database
                .prepare(`INSERT INTO kyc_relay_access_tokens (${names.join()}) VALUES (${places})`)
                .run(...Object.values(token))
            }
            return answer
          },
        },
      }
    },
  ],
  ['empties a body and calls it a body', 'RT-02', andThen(`UPDATE kyc_relay_events SET body = x'' WHERE body IS NULL`)],
  ['forgets how many attempts there were', 'RT-03', andThen('UPDATE kyc_relay_deliveries SET attempts_made = 0')],
  ['blanks every body', 'RT-04', andThen('UPDATE kyc_relay_events SET body = NULL')],
  ['removes everything in one step', 'RT-05', withPolicy(({ limit: _ignored, ...policy }) => policy)],
  [
    'rounds a limit to what it can do',
    'RT-06',
    withPolicy(({ limit = 1_000, ...policy }) => ({
      ...policy,
      limit: Math.min(10_000, Math.max(1, Math.ceil(limit))),
    })),
  ],
  ['removes a token when it expires', 'RT-07', withPolicy((policy) => ({ ...policy, expiredTokenAgeMs: 0 }))],
  [
    'takes the default for ages of less than a day',
    'RT-08',
    withPolicy((policy) => onlyAges(policy, (age) => age >= day)),
  ],
  [
    'takes the default for ages of more than a century',
    'RT-14',
    withPolicy((policy) => onlyAges(policy, (age) => age <= 36_525 * day)),
  ],
  ['removes old statuses', 'RT-09', andThen(`UPDATE kyc_relay_verifications SET next_status = 'UNVERIFIED'`)],
  ['removes counts', 'RT-12', andThen('DELETE FROM kyc_relay_endpoint_hours')],
  ['blanks fields of any age', 'RT-13', andThen('UPDATE kyc_relay_transactions SET fields = NULL')],
  ['resumes what it should cancel', 'RT-11', andThen(`UPDATE kyc_relay_endpoint_schedules SET paused = 0`)],
  [
    'says what it would remove',
    'RT-10',
    () => ({
      retention: {
        removeOld: () =>
          Promise.resolve({
            deliveriesExpired: 0,
            bodiesBlanked: 0,
            transactionsBlanked: 0,
            attemptsRemoved: 0,
            endpointHoursMerged: 0,
            endpointHoursRemoved: 0,
            accessTokensRemoved: 1,
            sessionsRemoved: 0,
            more: false,
          }),
      },
    }),
  ],
]

testTheCases(retentionCases, wrongRetentions)
