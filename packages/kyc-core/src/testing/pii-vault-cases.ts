import type { PiiEraser, PiiRevealer, PiiKeyRotation, PiiTokenizer, TokenInspector } from '../tokenization/pii-vault.js'
import type { Token } from '../tokenization/token.js'
import type { ConformanceCase } from './conformance-case.js'
import { vaultErasureCases } from './vault-erasure-cases.js'
import { vaultQuarantineCases } from './vault-quarantine-cases.js'
import { vaultRotationCases } from './vault-rotation-cases.js'
import { vaultSealingCases } from './vault-sealing-cases.js'
import { vaultStorageCases } from './vault-storage-cases.js'
import { vaultTokenCases } from './vault-token-cases.js'

/** All rights on one vault, as the cases use them. */
export type VaultUnderTest = PiiTokenizer & TokenInspector & PiiRevealer & PiiEraser & Partial<PiiKeyRotation>

/** What a backend gives the cases. Every case gets a harness of its own on empty data. */
export interface PiiVaultHarness {
  /**
   * A handle on the harness's data. A second call gives another handle on the same data, as another process would have
   * it; a call after every handle was closed finds what was written.
   */
  open(): Promise<{ readonly vault: VaultUnderTest; close(): Promise<void> }>

  /** Moves the vault's clock forward, for every handle. Nothing else moves it. */
  advance(ms: number): Promise<void>

  /** The vault's storage from behind. Give it wherever you can reach the storage: a vault of your own always can. */
  readonly storage?: {
    /** The ciphertext of a token's row, or null where the row holds none. */
    readSealed(token: Token): Promise<Uint8Array | null>
    writeSealed(token: Token, sealed: Uint8Array): Promise<void>
    /** Every byte the vault has stored, files of the journal included, in any order. */
    readEverything(): Promise<Uint8Array>
    listAudit(): Promise<readonly { readonly actor: string; readonly purpose: string }[]>
    /** Makes every write of an audit row fail from now on, or work again. */
    failAudit(fails: boolean): Promise<void>
  }

  /** For a vault with {@link PiiKeyRotation}. */
  readonly rotation?: {
    /** Makes a fresh wrapping key the current one, for handles opened from now on. */
    addKey(): Promise<void>
    /** Takes all wrapping keys but the current one away, for handles opened from now on. */
    dropFormerKeys(): Promise<void>
  }
}

/** One MUST of the three vault ports. */
export interface PiiVaultCase extends ConformanceCase<PiiVaultHarness> {
  /** The part of the harness without which the case cannot run: it rejects there rather than pass unchecked. */
  readonly needs?: 'storage' | 'rotation'
}

/**
 * Every MUST of `PiiTokenizer`, `TokenInspector`, `PiiRevealer` and `PiiEraser`, as data: no test runner inside.
 *
 * A vault whose storage is out of reach (a service of somebody else) leaves out the cases with `needs: 'storage'`, one
 * that rotates keys by itself those with `needs: 'rotation'`.
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
