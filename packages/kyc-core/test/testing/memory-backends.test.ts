import { describe, it } from 'vitest'
import {
  createMemoryVerificationData,
  createMemoryVerificationStore,
  piiVaultCases,
  verificationStoreCases,
} from '@kyc-relay/kyc-core/testing'
import { createMemoryVaultHarness } from './memory-vault-harness.js'

describe('the verification store in memory', () => {
  for (const each of verificationStoreCases) {
    it(`${each.id} ${each.name}`, () => {
      const data = createMemoryVerificationData()
      return each.run({ open: async () => ({ store: createMemoryVerificationStore(data), close: async () => {} }) })
    })
  }
})

describe('the vault in memory', () => {
  for (const each of piiVaultCases) it(`${each.id} ${each.name}`, () => each.run(createMemoryVaultHarness()))
})
