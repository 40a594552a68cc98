import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Columns as migrations/sqlite/*.sql makes them; instants are milliseconds since 1970 in UTC.

export const verifications = sqliteTable('kyc_relay_verifications', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  verificationId: text('verification_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  externalVerificationId: text('external_verification_id').notNull(),
  externalVerificationProvider: text('external_verification_provider').notNull(),
  schemaVersion: text('schema_version').notNull(),
  decision: text('decision', { enum: ['PASSED', 'FAILED'] }).notNull(),
  decisionedAt: integer('decisioned_at').notNull(),
  recordedAt: integer('recorded_at').notNull(),
  countryCode: text('country_code').notNull(),
  resultStatus: text('result_status', { enum: ['VERIFIED', 'ALREADY_VERIFIED', 'DECLINED'] }).notNull(),
  resultMessage: text('result_message').notNull(),
  payloadDigest: blob('payload_digest', { mode: 'buffer' }).notNull(),
  ssnToken: text('ssn_token'),
  ssnStanding: text('ssn_standing', { enum: ['COLLECTED', 'VALIDATED'] }),
  documentNumberToken: text('document_number_token'),
  sealedDetails: blob('sealed_details', { mode: 'buffer' }).notNull(),
})

export const verificationSections = sqliteTable(
  'kyc_relay_verification_sections',
  {
    verification: integer('verification').notNull(),
    ordinal: integer('ordinal').notNull(),
    section: text('section', { enum: ['document', 'ssn', 'database'] }).notNull(),
    providerVerificationId: text('provider_verification_id').notNull(),
    status: text('status', { enum: ['PASSED', 'FAILED'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.verification, table.ordinal] })],
)

export const verificationChecks = sqliteTable(
  'kyc_relay_verification_checks',
  {
    verification: integer('verification').notNull(),
    ordinal: integer('ordinal').notNull(),
    section: text('section', { enum: ['document', 'ssn', 'database'] }).notNull(),
    name: text('name').notNull(),
    status: text('status', { enum: ['PASSED', 'FAILED', 'NOT_APPLICABLE'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.verification, table.ordinal] })],
)

export const declineCodes = sqliteTable(
  'kyc_relay_decline_codes',
  {
    verification: integer('verification').notNull(),
    ordinal: integer('ordinal').notNull(),
    code: text('code').notNull(),
  },
  (table) => [primaryKey({ columns: [table.verification, table.ordinal] })],
)

export const kycStatusLog = sqliteTable('kyc_relay_kyc_status_log', {
  verification: integer('verification').primaryKey(),
  userId: text('user_id').notNull(),
  previous: text('previous', { enum: ['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'] }).notNull(),
  next: text('next', { enum: ['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'] }).notNull(),
  at: integer('at').notNull(),
})

export const photoJobs = sqliteTable('kyc_relay_photo_jobs', {
  photoJobId: text('photo_job_id').primaryKey(),
  verification: integer('verification').notNull(),
  side: text('side', { enum: ['front', 'back', 'selfie'] }).notNull(),
  sealedUrl: blob('sealed_url', { mode: 'buffer' }),
  state: text('state', { enum: ['PENDING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED'] }).notNull(),
  attemptsMade: integer('attempts_made').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  dueAt: integer('due_at'),
  leaseToken: text('lease_token'),
  leaseUntil: integer('lease_until'),
  endedAt: integer('ended_at'),
  lastFailure: text('last_failure'),
})
