// For the packages and the server of this repository. No promises: any release may change or remove a name.
export type { AuditEvent, AuditHead, AuditKind, AuditLogName } from '../audit/audit-entry.js'
export type { AuditField } from '../audit/audit-fields.js'
export { AUDIT_FINDING_MESSAGES } from '../audit/audit-finding.js'
export type { AccessRow, RecordedRow, UnaccountedRow } from '../audit/audit-log.js'
export {
  prepareSubmissionDocument,
  type PreparedSubmissionDocument,
  type SubmissionField,
} from '../graphql/inspect-document.js'
export type { QueryLimit } from '../graphql/query-limits.js'
export { MAX_TOKEN_AGE_MS } from '../ingestion/inspect-tokens.js'
export type { KycStatusCorrection, KycStatusCorrections } from '../ingestion/status-corrections.js'
export type { KycStatusChange } from '../ingestion/status-outbox.js'
export type {
  IngestionResult,
  RecordedCheck,
  Recording,
  SectionName,
  StatusOutcomes,
  SubmissionKey,
  TokenizedVerification,
} from '../ingestion/verification-store.js'
export { isPhotoFailure, type PhotoFailure } from '../photos/photo-failure.js'
export type { PhotoFormat } from '../photos/photo-format.js'
export type {
  ClaimedPhotoJob,
  PhotoFence,
  PhotoOutcome,
  PhotoRecord,
  PhotoSide,
  PhotoState,
} from '../photos/photo-job-store.js'
export { photoOutcome, type PhotoAttempt } from '../photos/photo-outcome.js'
export { parseDateTime } from '../submission/calendar-date.js'
export { isPhotoUrl } from '../submission/photo-url.js'
export type { SealContext, WrappedDataKey } from '../tokenization/pii-cipher.js'
export type { ClearValue, PiiField, RevealRequest, TokenFacts } from '../tokenization/pii-vault.js'
export { parseToken, tokenWithoutDigits } from '../tokenization/token.js'
export { type SubmissionDetails, photoImagePart, photoPart } from '../tokenization/tokenize-submission.js'
