export type { ConformanceCase } from './conformance-case.js'
export { createMemoryVault, createMemoryVaultData, type MemoryVaultData, type PiiVault } from './memory-vault.js'
export {
  createMemoryVerificationData,
  createMemoryVerificationStore,
  type MemoryVerificationData,
} from './memory-verification-store.js'
export { piiVaultCases, type PiiVaultCase, type PiiVaultHarness, type VaultUnderTest } from './pii-vault-cases.js'
export { sampleSubmission } from './sample-submission.js'
export { verificationStoreCases, type VerificationStoreHarness } from './verification-store-cases.js'
