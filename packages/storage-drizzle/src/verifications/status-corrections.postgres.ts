import { asc, eq, sql } from 'drizzle-orm'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import { statusCorrectedEvent } from '../audit/recorded-content.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement } from '../engine/postgres/statement.js'
import { lockStatus } from './statements.postgres.js'
import { kycStatusCorrections as corrections, kycStatusOutbox as outbox } from './tables.postgres.js'

const value = sql.placeholder

/** Sets a locked status. The time never goes back, so that the log and the status agree on what came last. */
const setStatus = statement<{ since: Date }>(
  'set_corrected_status',
  sql`
UPDATE kyc_relay_kyc_statuses SET status = ${value('next')}, since = greatest(since, ${value('at')}::timestamptz)
WHERE user_id = ${value('userId')} RETURNING since`,
)

/** Creates the corrections of KYC statuses on PostgreSQL. */
export function createStatusCorrections(dependencies: {
  readonly database: PostgresDatabase
  readonly audit: AuditChain | null
  readonly statusEvents: boolean
}): KycStatusCorrections {
  const { database, audit, statusEvents } = dependencies
  return {
    correctKycStatus: ({ expected, ...rest }) =>
      database.transaction(async (on) => {
        const { userId, correctionId, next } = rest
        const [locked] = await lockStatus.rows(on, { userId, now: rest.at })
        const current = locked?.status ?? 'UNVERIFIED'
        if (current !== expected) return { kind: 'changed', current } as const
        const [moved] = await setStatus.rows(on, { userId, next, at: rest.at })
        const correction = { ...rest, previous: current, at: moved?.since ?? rest.at }
        const [row] = await queryBuilder(on).insert(corrections).values(correction).returning()
        const change = { userId, changeId: correctionId, previous: current, next, at: correction.at }
        if (statusEvents) await queryBuilder(on).insert(outbox).values(change)
        if (row !== undefined) await audit?.append(on, userId, () => statusCorrectedEvent(audit.seal, row))
        return { kind: 'corrected', correction } as const
      }),
    listCorrections: (userId) =>
      database.run(async (on) => {
        const rows = await queryBuilder(on)
          .select()
          .from(corrections)
          .where(eq(corrections.userId, userId))
          .orderBy(asc(corrections.position))
        return rows.map(({ position: _, ...correction }) => correction)
      }),
  }
}
