import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { bytes, instant, oneOf, position, reusedPosition } from '../engine/sqlite/columns.js'
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
    previousStatus: text('previous_status', { enum: kycStatusValues }).notNull(),
    nextStatus: text('next_status', { enum: kycStatusValues }).notNull(),
    statusAt: instant('status_at').notNull(),
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
    oneOf(table.previousStatus, kycStatusValues),
    oneOf(table.nextStatus, kycStatusValues),
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

/** Corrections of the status by operators. */
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
  },
  (table) => [
    oneOf(table.previous, kycStatusValues),
    oneOf(table.next, kycStatusValues),
    index('kyc_relay_kyc_status_corrections_of_user').on(table.userId, table.position),
  ],
)

/** Changes of statuses whose event is not published yet. Publishing removes the row. */
export const kycStatusOutbox = sqliteTable(
  'kyc_relay_kyc_status_outbox',
  {
    userId: text('user_id').notNull(),
    /** Id of the verification or of the correction. */
    changeId: text('change_id').notNull(),
    /** Null for a correction. */
    appId: text('app_id'),
    previous: text('previous', { enum: kycStatusValues }).notNull(),
    next: text('next', { enum: kycStatusValues }).notNull(),
    at: instant('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.changeId] }),
    oneOf(table.previous, kycStatusValues),
    oneOf(table.next, kycStatusValues),
    index('kyc_relay_kyc_status_outbox_by_age').on(table.at, table.changeId),
  ],
)
