import type { Token } from '@kyc-relay/kyc-core'
import type { VaultReference } from '../vault/vault-inspection.js'

/** One verification in a list over all apps and users: what an operator looks for, nothing sealed. */
export interface LatestVerification {
  /** UUID (v7). */
  readonly verificationId: string
  readonly appId: string
  readonly userId: string
  readonly decision: 'PASSED' | 'FAILED'
  readonly resultStatus: 'VERIFIED' | 'ALREADY_VERIFIED' | 'DECLINED'
  readonly recordedAt: Date
}

/** The right to see which verifications were recorded, whosever they are. Held by operations. */
export interface VerificationOverview {
  /**
   * Newest first, by verification id: UUIDs of version 7 are in the order of their making. `limit` 1–200; `before` is
   * the id of the last row seen.
   */
  listLatest(page: { readonly limit: number; readonly before?: string }): Promise<readonly LatestVerification[]>
  /**
   * What the newest or the oldest verifications need from the vault: their owner's data key, and their tokens. In any
   * order. `limit` 1–200.
   */
  listVaultReferences(page: {
    readonly of: 'newest' | 'oldest'
    readonly limit: number
  }): Promise<readonly VaultReference[]>
}

/** What a verification's row says of the vault. */
export interface VaultReferenceRow {
  readonly appId: string
  readonly userId: string
  readonly ssnToken: string | null
  readonly documentNumberToken: string | null
}

/** The row as the port answers it. */
export function vaultReference({ appId, userId, ssnToken, documentNumberToken }: VaultReferenceRow): VaultReference {
  return { appId, userId, tokens: [ssnToken, documentNumberToken].filter((token) => token !== null) as Token[] }
}
