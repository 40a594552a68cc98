export { KycError, type KycErrorCode } from './kyc-error.js'
export { createToken, isToken, parseToken, tokenWithoutDigits, type Token } from './tokenization/token.js'
export type {
  AppUser,
  ClearValue,
  OwnedToken,
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
export { DETAILS_PART, parseSubmissionDetails, type SubmissionDetails } from './tokenization/tokenize-submission.js'
export type { PiiCipher, SealContext, WrappedDataKey } from './tokenization/pii-cipher.js'
export type { KycStatusCorrection, KycStatusCorrections } from './ingestion/status-corrections.js'
export type { KycStatusChange, KycStatusOutbox } from './ingestion/status-outbox.js'
export { parseDateTime } from './submission/calendar-date.js'
export { transitionKycStatus, type Decision, type KycStatus } from './status/kyc-status.js'
export { declineCodes } from './status/decline-codes.js'
export { parseSubmission, type Submission } from './submission/parse-submission.js'
export { DEFAULT_SUBMISSION_POLICY, type SubmissionPolicy } from './submission/submission-policy.js'
export type { Verifications } from './submission/verifications.js'
export type { Violation, ViolationCode } from './submission/violation.js'
export type { Warning, WarningCode } from './submission/warning.js'
export {
  createIngestion,
  type Ingested,
  type Ingestion,
  type IngestionDependencies,
} from './ingestion/ingest-submission.js'
export { MAX_TOKEN_AGE_MS } from './ingestion/inspect-tokens.js'
export type {
  IngestionResult,
  ExistingSubmission,
  RecordedCheck,
  SectionName,
  StatusOutcomes,
  SubmissionKey,
  TokenizedVerification,
  VerificationRecord,
  VerificationStore,
} from './ingestion/verification-store.js'
