import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, instant, position } from '../engine/postgres/column-types.js'

// Columns as migrations/postgres/*.sql makes them.

export const kycStatuses = pgTable('kyc_relay_kyc_statuses', {
  userId: text('user_id').primaryKey(),
  status: text('status', { enum: ['PASS', 'PASS_INTERNATIONAL'] }).notNull(),
  since: instant('since').notNull(),
})

export const verifications = pgTable('kyc_relay_verifications', {
  position: position(),
  verificationId: text('verification_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  externalVerificationId: text('external_verification_id').notNull(),
  externalVerificationProvider: text('external_verification_provider').notNull(),
  schemaVersion: text('schema_version').notNull(),
  decision: text('decision', { enum: ['PASSED', 'FAILED'] }).notNull(),
  decisionedAt: instant('decisioned_at').notNull(),
  recordedAt: instant('recorded_at').notNull(),
  countryCode: text('country_code').notNull(),
  resultStatus: text('result_status', { enum: ['VERIFIED', 'ALREADY_VERIFIED', 'DECLINED'] }).notNull(),
  resultMessage: text('result_message').notNull(),
  payloadDigest: bytea('payload_digest').notNull(),
  ssnToken: text('ssn_token'),
  ssnStanding: text('ssn_standing', { enum: ['COLLECTED', 'VALIDATED'] }),
  documentNumberToken: text('document_number_token'),
  sealedDetails: bytea('sealed_details').notNull(),
})

export const verificationSections = pgTable(
  'kyc_relay_verification_sections',
  {
    verificationId: text('verification_id').notNull(),
    ordinal: integer('ordinal').notNull(),
    section: text('section', { enum: ['document', 'ssn', 'database'] }).notNull(),
    providerVerificationId: text('provider_verification_id').notNull(),
    status: text('status', { enum: ['PASSED', 'FAILED'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.verificationId, table.ordinal] })],
)

export const verificationChecks = pgTable(
  'kyc_relay_verification_checks',
  {
    verificationId: text('verification_id').notNull(),
    ordinal: integer('ordinal').notNull(),
    section: text('section', { enum: ['document', 'ssn', 'database'] }).notNull(),
    name: text('name').notNull(),
    status: text('status', { enum: ['PASSED', 'FAILED', 'NOT_APPLICABLE'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.verificationId, table.ordinal] })],
)

export const declineCodes = pgTable(
  'kyc_relay_decline_codes',
  {
    verificationId: text('verification_id').notNull(),
    ordinal: integer('ordinal').notNull(),
    code: text('code').notNull(),
  },
  (table) => [primaryKey({ columns: [table.verificationId, table.ordinal] })],
)

export const kycStatusLog = pgTable('kyc_relay_kyc_status_log', {
  verificationId: text('verification_id').primaryKey(),
  userId: text('user_id').notNull(),
  previous: text('previous', { enum: ['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'] }).notNull(),
  next: text('next', { enum: ['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'] }).notNull(),
  at: instant('at').notNull(),
})

export const photoJobs = pgTable('kyc_relay_photo_jobs', {
  photoJobId: text('photo_job_id').primaryKey(),
  verificationId: text('verification_id').notNull(),
  side: text('side', { enum: ['front', 'back', 'selfie'] }).notNull(),
  sealedUrl: bytea('sealed_url'),
  state: text('state', { enum: ['PENDING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED'] }).notNull(),
  attemptsMade: integer('attempts_made').notNull().default(0),
  createdAt: instant('created_at').notNull(),
  dueAt: instant('due_at'),
  leaseToken: text('lease_token'),
  leaseUntil: instant('lease_until'),
  endedAt: instant('ended_at'),
  lastFailure: text('last_failure'),
})
