import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import { createSqliteStorage, type SqliteStorage } from '../../src/sqlite/index.js'
import { statusCorrectionCases } from '../../src/testing/index.js'
import { testCasesOf, type BehindTheStores, type Spoil, type WrongStorage } from './wrong-storage.js'

const onCorrections =
  (change: (right: KycStatusCorrections, storage: SqliteStorage) => Partial<KycStatusCorrections>): Spoil =>
  (storage) => ({ corrections: { ...storage.corrections, ...change(storage.corrections, storage) } })

/** Corrects, and then does something more. */
const andThen =
  (more: (behind: BehindTheStores) => void): Spoil =>
  ({ corrections }, behind) => ({
    corrections: {
      ...corrections,
      async correctKycStatus(request) {
        const answer = await corrections.correctKycStatus(request)
        if (answer.kind === 'corrected') more(behind)
        return answer
      },
    },
  })
const sql = (text: string) => andThen(({ database }) => void database.exec(text))

const wrongCorrections: readonly WrongStorage[] = [
  ['writes the log and leaves the status', 'SC-01', sql('UPDATE kyc_relay_kyc_status_corrections SET next = previous')],
  [
    'answers without the actor',
    'SC-01',
    onCorrections((right) => ({
      async correctKycStatus(request) {
        const answer = await right.correctKycStatus(request)
        return answer.kind === 'corrected' ? { ...answer, correction: { ...answer.correction, actor: '' } } : answer
      },
    })),
  ],
  [
    'lists the newest correction first',
    'SC-03',
    onCorrections((right) => ({
      listCorrections: async (userId) => [...(await right.listCorrections(userId))].reverse(),
    })),
  ],
  [
    'does not look at the expected status',
    'SC-02',
    onCorrections((right, { verifications }) => ({
      correctKycStatus: async (request) =>
        right.correctKycStatus({ ...request, expected: await verifications.findKycStatus(request.userId) }),
    })),
  ],
  ['keeps no reason', 'SC-03', sql(`UPDATE kyc_relay_kyc_status_corrections SET reason = ''`)],
  [
    'takes the correction for the last word',
    'SC-04',
    sql('UPDATE kyc_relay_kyc_status_corrections SET after_verification = 1000'),
  ],
  [
    'corrects the log of the verification instead',
    'SC-05',
    sql(`UPDATE kyc_relay_verifications SET next_status = 'UNVERIFIED'`),
  ],
  [
    'knows only users with a verification',
    'SC-06',
    ({ corrections }, { database }) => ({
      corrections: {
        ...corrections,
        async correctKycStatus(request) {
          const known = database.prepare('SELECT 1 FROM kyc_relay_verifications WHERE user_id = ?').get(request.userId)
          if (known === undefined) return { kind: 'changed', current: 'UNVERIFIED' }
          return corrections.correctKycStatus(request)
        },
      },
    }),
  ],
  [
    'reads the status, then writes the correction',
    'SC-07',
    onCorrections((right, { verifications }) => ({
      async correctKycStatus(request) {
        const current = await verifications.findKycStatus(request.userId)
        if (current !== request.expected) return { kind: 'changed', current }
        return right
          .correctKycStatus(request)
          .then(async (answer) =>
            answer.kind === 'corrected' ? answer : right.correctKycStatus({ ...request, expected: answer.current }),
          )
      },
    })),
  ],
  ['tells nobody', 'SC-08', sql('DELETE FROM kyc_relay_kyc_status_outbox')],
  ['forgets', 'SC-09', 'forgets on closing'],
]

testCasesOf<SqliteStorage>(statusCorrectionCases, wrongCorrections, (database, clock) =>
  createSqliteStorage({ database }, { clock, kycStatusEvents: true }),
)
