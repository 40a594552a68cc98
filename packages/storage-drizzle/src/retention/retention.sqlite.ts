import { sql } from 'drizzle-orm'
import { checkedLimit } from '../pages.js'
import { completePolicy, removedRows, type RemovedRows, type Retention, type RetentionPolicy } from './retention.js'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { accessTokens } from '../apps/tables.sqlite.js'
import { attempts, deliveries, endpointHours, events } from '../webhooks/tables.sqlite.js'
import { transactions } from '../webhooks/transaction-tables.sqlite.js'
import { heldClasses } from '../webhooks/values.js'

const value = sql.placeholder

/** Restricts rows with a user to users without a legal hold. */
const isNotHeld = (table: 'old' | 'ended') => sql`NOT EXISTS (
            SELECT 1 FROM kyc_relay_user_retention AS kept
            WHERE kept.user_id = ${sql.raw(table)}.user_id AND kept.held_at IS NOT NULL
          )`

function prepareStatements(db: DrizzleDatabase) {
  return {
    expireWaiting: db
      .update(deliveries)
      .set({ state: 'CANCELLED', dueAt: null, endedAt: sql`${value('now')}`, cancelReason: 'EXPIRED' })
      .where(
        sql`position IN (
          SELECT waiting.position FROM kyc_relay_endpoint_schedules AS schedule
          CROSS JOIN kyc_relay_deliveries AS waiting ON waiting.endpoint = schedule.endpoint
          WHERE schedule.paused = 1 AND waiting.class IN ${sql.raw(`(${heldClasses.join()})`)}
            AND waiting.due_at IS NOT NULL AND waiting.due_at < ${value('before')}
          LIMIT ${value('limit')}
        )`,
      )
      .prepare(),
    blankBodies: db
      .update(events)
      .set({ body: null })
      .where(
        sql`position IN (
          SELECT old.position FROM kyc_relay_events AS old
          WHERE old.body IS NOT NULL AND old.created_at < ${value('before')} AND NOT EXISTS (
            SELECT 1 FROM kyc_relay_deliveries AS pending WHERE pending.event = old.position AND pending.ended_at IS NULL
          ) AND ${isNotHeld('old')}
          ORDER BY old.created_at LIMIT ${value('limit')}
        )`,
      )
      .prepare(),
    blankFields: db
      .update(transactions)
      .set({ fields: null })
      .where(
        sql`transaction_id IN (
          SELECT old.transaction_id FROM kyc_relay_transactions AS old
          WHERE old.fields IS NOT NULL AND old.moved_at < ${value('before')} AND ${isNotHeld('old')}
          ORDER BY old.moved_at LIMIT ${value('limit')}
        )`,
      )
      .prepare(),
    removeAttempts: db
      .delete(attempts)
      .where(
        sql`rowid IN (
          SELECT old.rowid FROM kyc_relay_attempts AS old
          JOIN kyc_relay_deliveries AS ended ON ended.position = old.delivery AND ended.ended_at IS NOT NULL
          WHERE old.started_at < ${value('before')} AND ${isNotHeld('ended')}
          ORDER BY old.started_at LIMIT ${value('limit')}
        )`,
      )
      .prepare(),
    removeHours: db
      .delete(endpointHours)
      .where(
        sql`(endpoint, hour, cause) IN (
          SELECT endpoint, hour, cause FROM kyc_relay_endpoint_hours WHERE hour < ${value('before')} LIMIT ${value('limit')}
        )`,
      )
      .prepare(),
    removeAccessTokens: db
      .delete(accessTokens)
      .where(
        sql`hash IN (
          SELECT hash FROM kyc_relay_access_tokens WHERE expires_at < ${value('before')}
          ORDER BY expires_at LIMIT ${value('limit')}
        )`,
      )
      .prepare(),
  }
}

/** Creates the retention on one SQLite connection. */
export function createRetention(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly clock: () => Date
}): Retention {
  const { db, commits, clock } = dependencies
  const statements = prepareStatements(db)

  function removeOld(policy: Required<RetentionPolicy>): RemovedRows {
    const limit = checkedLimit(policy.limit, 10_000)
    const now = clock().getTime()
    const counts = {
      deliveriesExpired: statements.expireWaiting.run({ now, before: now - policy.bodyAgeMs, limit }).changes,
      bodiesBlanked: statements.blankBodies.run({ before: now - policy.bodyAgeMs, limit }).changes,
      transactionsBlanked: statements.blankFields.run({ before: now - policy.bodyAgeMs, limit }).changes,
      attemptsRemoved: statements.removeAttempts.run({ before: now - policy.attemptAgeMs, limit }).changes,
      accessTokensRemoved: statements.removeAccessTokens.run({ before: now - policy.expiredTokenAgeMs, limit }).changes,
      endpointHoursRemoved: statements.removeHours.run({ before: now - policy.endpointHourAgeMs, limit }).changes,
      // SQLite adds to one row, so there is nothing to merge.
      endpointHoursMerged: 0,
    }
    return removedRows(counts, limit)
  }

  return { removeOld: (policy) => commits.write(() => removeOld(completePolicy(policy))) }
}
