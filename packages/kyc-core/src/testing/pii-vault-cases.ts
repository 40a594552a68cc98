import type { PiiEraser, PiiRevealer, PiiKeyRotation, PiiTokenizer, TokenInspector } from '../tokenization/pii-vault.js'
import type { Token } from '../tokenization/token.js'
import type { ConformanceCase } from './conformance-case.js'
import { vaultErasureCases } from './vault-erasure-cases.js'
import { vaultQuarantineCases } from './vault-quarantine-cases.js'
import { vaultRotationCases } from './vault-rotation-cases.js'
import { vaultSealingCases } from './vault-sealing-cases.js'
import { vaultStorageCases } from './vault-storage-cases.js'
import { vaultTokenCases } from './vault-token-cases.js'

/** All ports of one vault. */
export type VaultUnderTest = PiiTokenizer & TokenInspector & PiiRevealer & PiiEraser & Partial<PiiKeyRotation>

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface PiiVaultHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<{ readonly vault: VaultUnderTest; close(): Promise<void> }>

  /** Advances the vault's clock for every handle. The clock does not move otherwise. */
  advance(ms: number): Promise<void>

  /** Direct access to the vault's storage. Provide it if you can reach the storage. */
  readonly storage?: {
    /** Reads the ciphertext of a token's row; null when the row has none. */
    readSealed(token: Token): Promise<Uint8Array | null>
    writeSealed(token: Token, sealed: Uint8Array): Promise<void>
    /** Reads all stored bytes of the vault, journal files included, in any order. */
    readEverything(): Promise<Uint8Array>
    listAudit(): Promise<readonly { readonly actor: string; readonly purpose: string }[]>
    /** Lets every write of an audit row fail, or succeed again. */
    failAudit(fails: boolean): Promise<void>
  }

  /** For a vault with {@link PiiKeyRotation}. */
  readonly rotation?: {
    /** Adds a fresh current wrapping key, for handles opened afterwards. */
    addKey(): Promise<void>
    /** Removes all wrapping keys but the current one, for handles opened afterwards. */
    dropFormerKeys(): Promise<void>
  }
}

/** One MUST of the three vault ports. */
export interface PiiVaultCase extends ConformanceCase<PiiVaultHarness> {
  /** Part of the harness that the case needs. Without it the case rejects. */
  readonly needs?: 'storage' | 'rotation'
}

/**
 * Every MUST of `PiiTokenizer`, `TokenInspector`, `PiiRevealer` and `PiiEraser`, as cases for any test runner.
 *
 * Skip the cases with `needs: 'storage'` if you cannot reach the storage of the vault, for example of an external
 * service. Skip those with `needs: 'rotation'` if the vault rotates keys by itself.
 *
 * @example
 * ```ts
 * import { piiVaultCases, type PiiVaultHarness } from '@kyc-relay/kyc-core/testing'
 *
 * async function check(newHarness: () => PiiVaultHarness): Promise<void> {
 *   for (const each of piiVaultCases) await each.run(newHarness())
 * }
 * ```
 */
export const piiVaultCases: readonly PiiVaultCase[] = [
  ...vaultTokenCases,
  ...vaultSealingCases,
  ...vaultErasureCases,
  ...vaultQuarantineCases,
  ...vaultStorageCases,
  ...vaultRotationCases,
]
