export { KycError, type KycErrorCode } from './kyc-error.js'
export {
  createToken,
  isToken,
  parseToken,
  TOKEN_RANDOM_BYTES,
  type ParsedToken,
  type Token,
} from './tokenization/token.js'
export type {
  AppUser,
  ClearValue,
  Fingerprint,
  PiiCustodian,
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
export type {
  IngestionResult,
  Page,
  PhotoJob,
  Prior,
  RecordedCheck,
  SectionName,
  StatusOutcomes,
  SubmissionKey,
  TokenizedVerification,
  VerificationRecord,
  VerificationStore,
} from './ingestion/verification-store.js'
