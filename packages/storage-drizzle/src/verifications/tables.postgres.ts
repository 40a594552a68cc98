import type { Token } from '@kyc-relay/kyc-core'
import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, type PgColumn } from 'drizzle-orm/pg-core'
import { bytea, instant, oneOf, position, references, text } from '../engine/postgres/columns.js'
import { decisions, kycStatusValues, resultStatuses, ssnStates } from './values.js'

export const kycStatuses = pgTable(
  'kyc_relay_kyc_statuses',
  {
    userId: text('user_id').primaryKey(),
    /** `UNVERIFIED` while every submission of the user has left it so. */
    status: text<(typeof kycStatusValues)[number]>('status').notNull(),
    since: instant('since').notNull(),
  },
  (table) => [oneOf(table.status, kycStatusValues)],
)

/** The submission that holds a key, with what a replay answers. Its uniqueness decides which of racing calls records. */
export const submissionKeys = pgTable(
  'kyc_relay_submission_keys',
  {
    externalVerificationId: text('external_verification_id').notNull(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    verificationId: text('verification_id').notNull(),
    resultStatus: text<(typeof resultStatuses)[number]>('result_status').notNull(),
    resultMessage: text('result_message').notNull(),
    payloadDigest: bytea('payload_digest'),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_submission_keys_pkey', columns: [table.externalVerificationId, table.appId] }),
    oneOf(table.resultStatus, resultStatuses),
  ],
)

export const verifications = pgTable(
  'kyc_relay_verifications',
  {
    userId: text('user_id').notNull(),
    verificationId: text('verification_id').notNull(),
    position: position(),
    appId: text('app_id').notNull(),
    externalVerificationId: text('external_verification_id').notNull(),
    externalVerificationProvider: text('external_verification_provider').notNull(),
    schemaVersion: text('schema_version').notNull(),
    decision: text<(typeof decisions)[number]>('decision').notNull(),
    decisionedAt: instant('decisioned_at').notNull(),
    recordedAt: instant('recorded_at').notNull(),
    countryCode: text('country_code').notNull(),
    resultStatus: text<(typeof resultStatuses)[number]>('result_status').notNull(),
    resultMessage: text('result_message').notNull(),
    payloadDigest: bytea('payload_digest'),
    ssnToken: text<Token>('ssn_token'),
    ssnState: text<(typeof ssnStates)[number]>('ssn_state'),
    documentNumberToken: text<Token>('document_number_token'),
    previousStatus: text<(typeof kycStatusValues)[number]>('previous_status').notNull(),
    nextStatus: text<(typeof kycStatusValues)[number]>('next_status').notNull(),
    statusAt: instant('status_at').notNull(),
    /** Lists as JSON: they are read with the row only. */
    sections: text('sections').notNull(),
    checks: text('checks').notNull(),
    declineCodes: text('decline_codes').notNull(),
    sealedDetails: bytea('sealed_details').notNull(),
    /** Null after an erasure, like what it covers: payload digest and SSN token. */
    erasableKey: bytea('erasable_key'),
    erasableMac: bytea('erasable_mac').notNull(),
  },
  (table) => [
    oneOf(table.decision, decisions),
    oneOf(table.resultStatus, resultStatuses),
    oneOf(table.ssnState, ssnStates),
    oneOf(table.previousStatus, kycStatusValues),
    oneOf(table.nextStatus, kycStatusValues),
    check('kyc_relay_verifications_ssn_check', sql`ssn_token IS NULL OR ssn_state IS NOT NULL`),
    primaryKey({ name: 'kyc_relay_verifications_pkey', columns: [table.userId, table.verificationId] }),
    index('kyc_relay_verifications_by_id').on(table.verificationId),
    index('kyc_relay_verifications_of_app').on(table.appId, table.verificationId),
    index('kyc_relay_verifications_of_app_by_result').on(table.appId, table.resultStatus, table.verificationId),
    index('kyc_relay_verifications_of_user').on(table.appId, table.userId, table.position),
    index('kyc_relay_verifications_by_ssn_token')
      .on(table.ssnToken)
      .where(sql`ssn_token IS NOT NULL`),
    index('kyc_relay_verifications_by_document_number_token')
      .on(table.documentNumberToken)
      .where(sql`document_number_token IS NOT NULL`),
  ],
)

/** A foreign key to the verification of the same user. */
export const referencesVerification = (table: { readonly userId: PgColumn; readonly verificationId: PgColumn }) =>
  references([table.userId, table.verificationId], [verifications.userId, verifications.verificationId])

/** Corrections of the status by operators. */
export const kycStatusCorrections = pgTable(
  'kyc_relay_kyc_status_corrections',
  {
    userId: text('user_id').notNull(),
    correctionId: text('correction_id').notNull(),
    position: position(),
    previous: text<(typeof kycStatusValues)[number]>('previous').notNull(),
    next: text<(typeof kycStatusValues)[number]>('next').notNull(),
    at: instant('at').notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_kyc_status_corrections_pkey', columns: [table.userId, table.correctionId] }),
    oneOf(table.previous, kycStatusValues),
    oneOf(table.next, kycStatusValues),
  ],
)

/** Changes of statuses whose event is not published yet. Publishing removes the row. */
export const kycStatusOutbox = pgTable(
  'kyc_relay_kyc_status_outbox',
  {
    userId: text('user_id').notNull(),
    /** Id of the verification or of the correction. */
    changeId: text('change_id').notNull(),
    /** Null for a correction. */
    appId: text('app_id'),
    previous: text<(typeof kycStatusValues)[number]>('previous').notNull(),
    next: text<(typeof kycStatusValues)[number]>('next').notNull(),
    at: instant('at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_kyc_status_outbox_pkey', columns: [table.userId, table.changeId] }),
    oneOf(table.previous, kycStatusValues),
    oneOf(table.next, kycStatusValues),
    index('kyc_relay_kyc_status_outbox_by_age').on(table.at, table.changeId),
  ],
)
