import { describe, it } from 'vitest'
import {
  createMemoryVerificationData,
  createMemoryVerificationStore,
  kycStatusOutboxCases,
  photoJobStoreCases,
  piiVaultCases,
  verificationStoreCases,
} from '@kyc-relay/kyc-core/testing'
import { createMemoryKycStatusOutbox } from '../../src/testing/memory-kyc-status-outbox.js'
import { createMemoryPhotoJobHarness } from './memory-photo-job-harness.js'
import { createMemoryVaultHarness } from './memory-vault-harness.js'

describe('the verification store in memory', () => {
  for (const each of verificationStoreCases) {
    it(`${each.id} ${each.name}`, () => {
      const data = createMemoryVerificationData()
      return each.run({ open: async () => ({ store: createMemoryVerificationStore(data), close: async () => {} }) })
    })
  }
})

describe('the outbox of status changes in memory', () => {
  for (const each of kycStatusOutboxCases) {
    it(`${each.id} ${each.name}`, () => {
      const data = createMemoryVerificationData()
      const verifications = createMemoryVerificationStore(data)
      const outbox = createMemoryKycStatusOutbox(data)
      return each.run({ open: async () => ({ outbox, verifications, close: async () => {} }) })
    })
  }
})

describe('the vault in memory', () => {
  for (const each of piiVaultCases) it(`${each.id} ${each.name}`, () => each.run(createMemoryVaultHarness()))
})

describe('the photo jobs in memory', () => {
  for (const each of photoJobStoreCases) {
    it(`${each.id} ${each.name}`, () => each.run(createMemoryPhotoJobHarness()))
  }
})
