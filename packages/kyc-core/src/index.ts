export { KycError, type KycErrorCode } from './kyc-error.js'
export { createToken, isToken, type Token } from './tokenization/token.js'
export type {
  AppUser,
  OwnedToken,
  PiiEraser,
  PiiRevealer,
  PiiKeyRotation,
  PiiTokenizer,
  TokenInspector,
  TokenizedValue,
} from './tokenization/pii-vault.js'
export { DETAILS_PART, parseSubmissionDetails } from './tokenization/tokenize-submission.js'
export type { PiiCipher } from './tokenization/pii-cipher.js'
export type { KycStatusOutbox } from './ingestion/status-outbox.js'
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
export type { ExistingSubmission, VerificationRecord, VerificationStore } from './ingestion/verification-store.js'
