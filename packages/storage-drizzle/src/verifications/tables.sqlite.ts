import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { bytes, flag, instant, oneOf, position, reusedPosition } from '../engine/sqlite/columns.js'
import { decisions, kycStatusValues, resultStatuses, ssnStates } from './values.js'

export const verifications = sqliteTable(
  'kyc_relay_verifications',
  {
    // Verifications are never removed.
    position: reusedPosition(),
    verificationId: text('verification_id').notNull().unique('kyc_relay_verifications_by_id'),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    externalVerificationId: text('external_verification_id').notNull(),
    externalVerificationProvider: text('external_verification_provider').notNull(),
    schemaVersion: text('schema_version').notNull(),
    decision: text('decision', { enum: decisions }).notNull(),
    decisionedAt: instant('decisioned_at').notNull(),
    recordedAt: instant('recorded_at').notNull(),
    countryCode: text('country_code').notNull(),
    resultStatus: text('result_status', { enum: resultStatuses }).notNull(),
    resultMessage: text('result_message').notNull(),
    payloadDigest: bytes('payload_digest'),
    ssnToken: text('ssn_token'),
    ssnState: text('ssn_state', { enum: ssnStates }),
    documentNumberToken: text('document_number_token'),
    /** Lists as JSON: they are read with the row only. */
    sections: text('sections').notNull(),
    checks: text('checks').notNull(),
    declineCodes: text('decline_codes').notNull(),
    sealedDetails: bytes('sealed_details').notNull(),
    /** Null after an erasure, like what it covers: payload digest and SSN token. */
    erasableKey: bytes('erasable_key'),
    erasableMac: bytes('erasable_mac').notNull(),
  },
  (table) => [
    oneOf(table.decision, decisions),
    oneOf(table.resultStatus, resultStatuses),
    oneOf(table.ssnState, ssnStates),
    check('kyc_relay_verifications_ssn_check', sql`ssn_token IS NULL OR ssn_state IS NOT NULL`),
    unique('kyc_relay_verifications_by_external_id').on(table.appId, table.externalVerificationId),
    index('kyc_relay_verifications_of_app').on(table.appId, table.verificationId),
    index('kyc_relay_verifications_of_app_by_result').on(table.appId, table.resultStatus, table.verificationId),
    index('kyc_relay_verifications_of_user').on(table.userId, table.appId, table.position),
    index('kyc_relay_verifications_by_ssn_token')
      .on(table.ssnToken)
      .where(sql`ssn_token IS NOT NULL`),
    index('kyc_relay_verifications_by_document_number_token')
      .on(table.documentNumberToken)
      .where(sql`document_number_token IS NOT NULL`),
  ],
)

export const kycStatusLog = sqliteTable(
  'kyc_relay_kyc_status_log',
  {
    verification: integer('verification')
      .primaryKey()
      .references(() => verifications.position),
    userId: text('user_id').notNull(),
    previous: text('previous', { enum: kycStatusValues }).notNull(),
    next: text('next', { enum: kycStatusValues }).notNull(),
    at: instant('at').notNull(),
    /** 1 until the event of the change is published. */
    unpublished: flag('unpublished').notNull().default(0),
  },
  (table) => [
    oneOf(table.previous, kycStatusValues),
    oneOf(table.next, kycStatusValues),
    oneOf(table.unpublished, [0, 1]),
    index('kyc_relay_kyc_status_log_unpublished')
      .on(table.at)
      .where(sql`unpublished = 1`),
  ],
)

/** Corrections of the status by operators: rows of the status log without a verification. */
export const kycStatusCorrections = sqliteTable(
  'kyc_relay_kyc_status_corrections',
  {
    position: position(),
    correctionId: text('correction_id').notNull().unique('kyc_relay_kyc_status_corrections_by_id'),
    userId: text('user_id').notNull(),
    previous: text('previous', { enum: kycStatusValues }).notNull(),
    next: text('next', { enum: kycStatusValues }).notNull(),
    at: instant('at').notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    /** Position of the user's newest verification before it; 0 if there was none. */
    afterVerification: integer('after_verification').notNull(),
    /** 1 until the event of the change is published. */
    unpublished: flag('unpublished').notNull().default(0),
  },
  (table) => [
    oneOf(table.previous, kycStatusValues),
    oneOf(table.next, kycStatusValues),
    oneOf(table.unpublished, [0, 1]),
    index('kyc_relay_kyc_status_corrections_of_user').on(table.userId, table.position),
    index('kyc_relay_kyc_status_corrections_unpublished')
      .on(table.at)
      .where(sql`unpublished = 1`),
  ],
)
