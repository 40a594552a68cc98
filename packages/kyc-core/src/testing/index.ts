export { auditLogCases, type AuditLogHandle, type AuditLogHarness } from './audit-log-cases.js'
export type { ConformanceCase } from './conformance-case.js'
export { createMemoryVault, createMemoryVaultData, type MemoryVaultData, type PiiVault } from './memory-vault.js'
export { createMemoryPhotoJobStore, type MemoryPhotoJob } from './memory-photo-job-store.js'
export {
  createMemoryVerificationData,
  createMemoryVerificationStore,
  type MemoryVerificationData,
} from './memory-verification-store.js'
export type { PhotoJobStoreHandle, PhotoJobStoreHarness } from './photo-job-harness.js'
export { photoJobStoreCases } from './photo-job-store-cases.js'
export { photoStoreCases, type PhotoStoreHarness } from './photo-store-cases.js'
export { piiVaultCases, type PiiVaultCase, type PiiVaultHarness, type VaultUnderTest } from './pii-vault-cases.js'
export { sampleSubmission } from './sample-submission.js'
export { verificationStoreCases, type VerificationStoreHarness } from './verification-store-cases.js'
