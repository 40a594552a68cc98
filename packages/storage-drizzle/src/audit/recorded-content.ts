import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type {
  AuditEvent,
  AuditField,
  IngestionResult,
  SubmissionKey,
  TokenizedVerification,
} from '@kyc-relay/kyc-core/internal'
import type { KycStatus } from '@kyc-relay/kyc-core'
import { rowDigestOf, type StoredCorrection } from './access-rows.js'

/** A verification with its details and the change of status. It must never change after recording. */
export interface RecordedVerification {
  readonly key: SubmissionKey
  readonly verification: Omit<TokenizedVerification, 'photoJobs' | 'sections' | 'checks' | 'ssn'> & {
    readonly sections: readonly { readonly section: string; readonly verificationId: string; readonly status: string }[]
    readonly checks: readonly { readonly section: string; readonly name: string; readonly status: string }[]
    readonly ssnState: NonNullable<TokenizedVerification['ssn']>['state'] | null
  }
  /** HMAC of the parts that an erasure blanks. */
  readonly erasableMac: Uint8Array
  readonly recordedAt: Date
  readonly result: IngestionResult
  readonly statusLog: { readonly previous: KycStatus; readonly next: KycStatus; readonly at: Date }
}

/**
 * Returns the fields of a verification for the digest of its audit entry. Their order must never change. Photo jobs are
 * not included because they change.
 */
export function verificationContent(recorded: RecordedVerification): AuditField {
  const { key, verification, erasableMac, recordedAt, result, statusLog } = recorded
  return [
    verification.verificationId,
    key.appId,
    key.userId,
    key.externalVerificationId,
    verification.externalVerificationProvider,
    verification.schemaVersion,
    verification.decision,
    verification.decisionedAt.getTime(),
    recordedAt.getTime(),
    verification.countryCode,
    result.status,
    result.message,
    erasableMac,
    verification.ssnState,
    verification.documentNumber?.token ?? null,
    verification.sealedDetails,
    verification.sections.map(({ section, verificationId, status }) => [section, verificationId, status]),
    verification.checks.map(({ section, name, status }) => [section, name, status]),
    verification.declineCodes,
    [statusLog.previous, statusLog.next, statusLog.at.getTime()],
  ]
}

/** A row with who revealed which value, and why. */
export interface RecordedReveal {
  readonly atMs: number
  readonly appId: string
  readonly userId: string
  readonly actor: string
  readonly purpose: string
  readonly token: string | null
  readonly recordId: string | null
  readonly part: string | null
}

/** Returns the fields of a reveal for the digest of its audit entry. Their order must never change. */
export function revealContent(reveal: RecordedReveal): AuditField {
  const { atMs, appId, userId, actor, purpose, token, recordId, part } = reveal
  return [atMs, appId, userId, actor, purpose, token, recordId, part]
}

/** Creates the entry for a verification. */
export function verificationEvent(seal: AuditSeal, recorded: RecordedVerification): AuditEvent {
  const { key, verification, recordedAt } = recorded
  return {
    kind: 'VERIFICATION_RECORDED',
    atMs: recordedAt.getTime(),
    appId: key.appId,
    userId: key.userId,
    subject: verification.verificationId,
    contentDigest: seal.digest(verificationContent(recorded)),
  }
}

/** Creates the entry for a reveal. */
export function revealEvent(seal: AuditSeal, position: number, reveal: RecordedReveal): AuditEvent {
  const { atMs, appId, userId, actor, purpose: reason } = reveal
  const contentDigest = seal.digest(revealContent(reveal))
  return { kind: 'VALUE_REVEALED', atMs, appId, userId, subject: String(position), contentDigest, actor, reason }
}

/** Creates the entry for a corrected KYC status. @param row The row of the correction. */
export function statusCorrectedEvent(seal: AuditSeal, row: StoredCorrection): AuditEvent {
  const { correctionId, userId, at, actor, reason } = row
  const contentDigest = rowDigestOf.correction(seal, row)
  const about = { appId: null, userId, subject: correctionId, contentDigest, actor, reason }
  return { kind: 'KYC_STATUS_CORRECTED', atMs: Number(at), ...about }
}
