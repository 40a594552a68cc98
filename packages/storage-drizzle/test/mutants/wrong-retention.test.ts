import type { Retention, RetentionPolicy } from '../../src/retention/retention.js'
import { retentionCases } from '../../src/testing/index.js'
import { testTheCases, type Spoil, type WrongStorage } from './wrong-storage.js'

const day = 86_400_000

const withPolicy =
  (change: (policy: RetentionPolicy) => RetentionPolicy): Spoil =>
  ({ retention }) => ({ retention: { removeOld: (policy = {}) => retention.removeOld(change(policy)) } })

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

const wrongRetentions: readonly WrongStorage[] = [
  ['is a millisecond early', 'RT-01', withPolicy((policy) => ({ bodyAgeMs: 30 * day - 1, ...policy }))],
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
  ['has ages of its own', 'RT-08', withPolicy(({ limit = 1_000 }) => ({ limit }))],
  ['removes old statuses', 'RT-09', andThen('DELETE FROM kyc_relay_kyc_status_log')],
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
