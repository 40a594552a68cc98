export { KycError, type KycErrorCode } from './kyc-error.js'
export {
  createToken,
  isToken,
  parseToken,
  TOKEN_RANDOM_BYTES,
  type NewToken,
  type ParsedToken,
  type Token,
} from './tokenization/token.js'
export type {
  AppUser,
  ClearValue,
  Fingerprint,
  PiiEraser,
  PiiRevealer,
  PiiField,
  PiiKeyRotation,
  PiiTokenizer,
  RevealRequest,
  TokenFacts,
  TokenInspector,
  TokenizedValue,
} from './tokenization/pii-vault.js'
export type { FingerprintPurpose, PiiCipher, SealContext, WrappedDataKey } from './tokenization/pii-cipher.js'
export {
  KYC_STATUSES,
  transitionKycStatus,
  type Decision,
  type KycStatus,
  type KycStatusTransition,
  type SubmissionOutcome,
} from './status/kyc-status.js'
export { declineCodes } from './status/decline-codes.js'
export { statusOutcomes } from './status/status-outcomes.js'
export {
  parseSubmission,
  type ParsedSubmission,
  type ParseSubmissionOptions,
  type Submission,
} from './submission/parse-submission.js'
export { DEFAULT_SUBMISSION_POLICY, type SubmissionPolicy } from './submission/submission-policy.js'
export type { Person } from './submission/person.js'
export type { Address } from './submission/address.js'
export type { Check, Verifications } from './submission/verifications.js'
export type { JsonObject, JsonValue } from './submission/json-value.js'
export type { PiiForm } from './submission/rule-context.js'
export { VIOLATION_MESSAGES, type Violation, type ViolationCode } from './submission/violation.js'
export { WARNING_MESSAGES, type Warning, type WarningCode } from './submission/warning.js'
export {
  DETAILS_PART,
  photoImagePart,
  photoPart,
  tokenizeSubmission,
  type TokenizationContext,
} from './tokenization/tokenize-submission.js'
export {
  createIngestion,
  MAX_REPORTED_VIOLATIONS,
  type Ingested,
  type Ingestion,
  type IngestionDependencies,
  type RefusalCode,
  type SubmissionValidation,
} from './ingestion/ingest-submission.js'
export { MAX_TOKEN_AGE_MS } from './ingestion/inspect-tokens.js'
export type {
  IngestionResult,
  Page,
  PhotoJob,
  ExistingSubmission,
  RecordedCheck,
  SectionName,
  StatusOutcomes,
  SubmissionKey,
  TokenizedVerification,
  VerificationRecord,
  VerificationStore,
} from './ingestion/verification-store.js'
export type {
  ClaimedPhotoJob,
  PhotoFence,
  PhotoJobStore,
  PhotoOutcome,
  PhotoRecord,
  PhotoSide,
  PhotoState,
} from './photos/photo-job-store.js'
export { isPhotoFailure, PHOTO_FAILURES, type PhotoFailure } from './photos/photo-failure.js'
export type { PhotoAddress, PhotoStore } from './photos/photo-store.js'
export { MAX_PHOTO_BYTES, photoFormat, type PhotoFormat } from './photos/photo-format.js'
export { PHOTO_OWN_FAULT_WINDOW_MS, PHOTO_WINDOW_MS, photoOutcome, type PhotoAttempt } from './photos/photo-outcome.js'
export {
  NO_MAC,
  type AuditEntry,
  type AuditEvent,
  type AuditHead,
  type AuditKind,
  type AuditLogName,
} from './audit/audit-entry.js'
export type { AuditField } from './audit/audit-fields.js'
export { AUDIT_FINDING_MESSAGES, type AuditFinding, type AuditFindingCode } from './audit/audit-finding.js'
export type { AuditLog, UnaccountedRow } from './audit/audit-log.js'
export {
  createAuditSeal,
  type AuditCheckpoint,
  type AuditHashes,
  type AuditSeal,
  type SealedCheckpoint,
  type SealVerdict,
} from './audit/audit-seal.js'
export { verifyAuditLog, type AuditReport, type AuditVerification } from './audit/verify-audit-log.js'
