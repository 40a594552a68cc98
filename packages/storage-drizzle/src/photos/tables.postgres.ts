import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { bytea, instant, oneOf, text } from '../engine/postgres/columns.js'
import { referencesVerification } from '../verifications/tables.postgres.js'
import { photoJobStates, photoSides } from './values.js'

export const photoJobs = pgTable(
  'kyc_relay_photo_jobs',
  {
    userId: text('user_id').notNull(),
    photoJobId: text('photo_job_id').notNull(),
    appId: text('app_id').notNull(),
    verificationId: text('verification_id').notNull(),
    side: text<(typeof photoSides)[number]>('side').notNull(),
    sealedUrl: bytea('sealed_url'),
    state: text<(typeof photoJobStates)[number]>('state').notNull(),
    attemptsMade: integer('attempts_made').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    dueAt: instant('due_at'),
    leaseToken: text('lease_token'),
    leaseUntil: instant('lease_until'),
    endedAt: instant('ended_at'),
    lastFailure: text('last_failure'),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_photo_jobs_pkey', columns: [table.userId, table.photoJobId] }),
    referencesVerification(table),
    oneOf(table.side, photoSides),
    oneOf(table.state, photoJobStates),
    check(
      'kyc_relay_photo_jobs_pending_check',
      sql`(state = 'PENDING') = (due_at IS NOT NULL OR lease_token IS NOT NULL)`,
    ),
    check('kyc_relay_photo_jobs_lease_check', sql`(lease_token IS NULL) = (lease_until IS NULL)`),
    index('kyc_relay_photo_jobs_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    index('kyc_relay_photo_jobs_leased')
      .on(table.leaseUntil)
      .where(sql`lease_until IS NOT NULL`),
    index('kyc_relay_photo_jobs_of_verification').on(table.verificationId, table.userId),
  ],
)
