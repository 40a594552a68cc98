import type Database from 'better-sqlite3'
import type { ExistingSubmission } from '@kyc-relay/kyc-core'
import type { Recording, SubmissionKey } from '@kyc-relay/kyc-core/internal'
import { erasableMac, newErasableKey } from '../audit/erasable-parts.js'
import { verificationEvent } from '../audit/recorded-content.js'
import { StorageError } from '../storage-error.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { prepare } from '../engine/sqlite/statement.js'
import { isDuringErasure } from '../user-retention/user-retention.js'
import { findStatus, prepareStatusReads } from './current-status.sqlite.js'
import type { verifications } from './tables.sqlite.js'
import { listColumns } from './verification-record.js'

type VerificationColumns = typeof verifications.$inferSelect
type ExistingRow = Pick<
  VerificationColumns,
  'userId' | 'verificationId' | 'resultStatus' | 'resultMessage' | 'payloadDigest'
>

/** Prepares the statements that run for every submission, without the query builder. */
export function prepareRecording(client: Database.Database) {
  return {
    findExisting: prepare<[appId: string, externalVerificationId: string], ExistingRow>(
      client,
      `SELECT user_id AS userId, verification_id AS verificationId, result_status AS resultStatus,
        result_message AS resultMessage, payload_digest AS payloadDigest
      FROM kyc_relay_verifications WHERE app_id = ? AND external_verification_id = ?`,
    ),
    ...prepareStatusReads(client),
    findErasure: prepare<[userId: string], { startedAt: number | null; erasedAt: number | null }>(
      client,
      `SELECT erasure_started_at AS startedAt, erased_at AS erasedAt FROM kyc_relay_user_retention WHERE user_id = ?`,
    ),
    insertVerification: prepare<unknown[]>(
      client,
      `INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id,
        external_verification_provider, schema_version, decision, decisioned_at, recorded_at, country_code,
        result_status, result_message, payload_digest, ssn_token, ssn_state, document_number_token, previous_status,
        next_status, status_at, sections, checks, decline_codes, sealed_details, erasable_key, erasable_mac)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertUnpublished: prepare<
      [userId: string, changeId: string, appId: string, previous: string, next: string, at: number]
    >(
      client,
      `INSERT INTO kyc_relay_kyc_status_outbox (user_id, change_id, app_id, previous, next, at)
      VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    insertPhotoJob: prepare<
      [photoJobId: string, verification: Position, side: string, sealedUrl: Uint8Array, createdAt: number, due: number]
    >(
      client,
      `INSERT INTO kyc_relay_photo_jobs (photo_job_id, verification, side, sealed_url, state, created_at, due_at)
      VALUES (?, ?, ?, ?, 'PENDING', ?, ?)`,
    ),
  }
}

type Position = number | bigint

export type RecordingStatements = ReturnType<typeof prepareRecording>

export function findExisting(statements: RecordingStatements, key: SubmissionKey): ExistingSubmission | null {
  const row = statements.findExisting.get(key.appId, key.externalVerificationId)
  if (row === undefined) return null
  if (row.userId !== key.userId) return { kind: 'conflict' }
  const result = { status: row.resultStatus, verificationId: row.verificationId, message: row.resultMessage }
  return { kind: 'replayed', result, payloadDigest: row.payloadDigest && new Uint8Array(row.payloadDigest) }
}

/** What a recording needs beside its statements. */
export interface RecordingDependencies {
  readonly audit: AuditChain | null
  /** True to publish changes of the KYC status. */
  readonly statusEvents: boolean
  readonly randomBytes: (size: number) => Uint8Array
}

/** Writes one verification with its details, inside a transaction of the caller. */
export function record(
  statements: RecordingStatements,
  recording: Recording,
  { audit, statusEvents, randomBytes }: RecordingDependencies,
) {
  const { key, verification, payloadDigest, recordedAt, outcomes } = recording
  const existing = findExisting(statements, key)
  if (existing !== null) return existing
  const at = recordedAt.getTime()
  if (isDuringErasure(statements.findErasure.get(key.userId), at)) throw new StorageError('ERASURE_IN_PROGRESS')
  const previous = findStatus(statements, key.userId)
  const { next, result } = outcomes[previous]
  if (result.verificationId !== verification.verificationId) throw new StorageError('ARGUMENT_INVALID')
  const ssnToken = verification.ssn?.token ?? null
  const erasableKey = newErasableKey(randomBytes)
  const lists = listColumns(verification)
  const mac = erasableMac(erasableKey, { payloadDigest, ssnToken })
  const { lastInsertRowid: position } = statements.insertVerification.run(
    verification.verificationId,
    key.appId,
    key.userId,
    key.externalVerificationId,
    verification.externalVerificationProvider,
    verification.schemaVersion,
    verification.decision,
    verification.decisionedAt.getTime(),
    at,
    verification.countryCode,
    result.status,
    result.message,
    payloadDigest,
    ssnToken,
    verification.ssn?.state ?? null,
    verification.documentNumber?.token ?? null,
    previous,
    next,
    at,
    lists.sections,
    lists.checks,
    lists.declineCodes,
    verification.sealedDetails,
    erasableKey,
    mac,
  )
  for (const { photoJobId, side, sealedUrl } of verification.photoJobs) {
    statements.insertPhotoJob.run(photoJobId, position, side, sealedUrl, at, at)
  }
  if (statusEvents && next !== previous) {
    statements.insertUnpublished.run(key.userId, verification.verificationId, key.appId, previous, next, at)
  }
  const statusLog = { previous, next, at: recordedAt } as const
  if (audit !== null) {
    const ssnState = verification.ssn?.state ?? null
    const recorded = {
      key,
      verification: { ...verification, ssnState },
      erasableMac: mac,
      recordedAt,
      result,
      statusLog,
    }
    audit.append(verificationEvent(audit.seal, recorded))
  }
  return { kind: 'recorded', result } as const
}
