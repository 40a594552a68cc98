import { sql } from 'drizzle-orm'
import { check, index, pgTable } from 'drizzle-orm/pg-core'
import { instant, text } from '../engine/postgres/columns.js'

/** Users whose data is under a legal hold, whose accounts are closed, or whose erasure has started or finished. */
export const userRetention = pgTable(
  'kyc_relay_user_retention',
  {
    userId: text('user_id').primaryKey(),
    heldAt: instant('held_at'),
    /** The operator's reason. */
    holdReason: text('hold_reason'),
    closedAt: instant('closed_at'),
    /** Null after an erasure of rows that `startErasure` did not start. */
    erasureId: text('erasure_id'),
    /** Null once the erasure has finished. */
    erasureStartedAt: instant('erasure_started_at'),
    /** End of the last finished erasure. */
    erasedAt: instant('erased_at'),
  },
  (table) => [
    check('kyc_relay_user_retention_hold_check', sql`(held_at IS NULL) = (hold_reason IS NULL)`),
    check('kyc_relay_user_retention_erasure_check', sql`held_at IS NULL OR erasure_started_at IS NULL`),
    index('kyc_relay_user_retention_held')
      .on(table.userId)
      .where(sql`held_at IS NOT NULL`),
    index('kyc_relay_user_retention_closed')
      .on(table.closedAt, table.userId)
      .where(sql`closed_at IS NOT NULL`),
  ],
)
