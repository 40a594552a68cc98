import type { AppUser, Token } from '@kyc-relay/kyc-core'
import type { VaultReference } from '@kyc-relay/storage-drizzle/internal'

/** One verification in a list over all apps and users. It holds no sealed data. */
export interface LatestVerification {
  /** UUID (v7). */
  readonly verificationId: string
  readonly appId: string
  readonly userId: string
  readonly decision: 'PASSED' | 'FAILED'
  readonly resultStatus: 'VERIFIED' | 'ALREADY_VERIFIED' | 'DECLINED'
  readonly recordedAt: Date
}

/** Right to list the verifications of all apps and users. */
export interface VerificationOverview {
  /**
   * Lists verifications by id, newest first: UUIDs of version 7 sort by time. `before` is the id of the last row of the
   * previous page.
   */
  listLatest(page: { readonly limit: number; readonly before?: string }): Promise<readonly LatestVerification[]>
  /**
   * Lists the verifications of one app by ascending id that match every given filter. `after` is the id of the last row of
   * the previous page. `limit` 1–200.
   */
  listOfApp(page: {
    readonly appId: string
    readonly limit: number
    readonly after?: string
    readonly userId?: string
    readonly externalVerificationId?: string
    readonly resultStatus?: LatestVerification['resultStatus']
  }): Promise<readonly LatestVerification[]>
  /** Finds the app and the user of a verification; null for an unknown id. */
  findOwner(verificationId: string): Promise<AppUser | null>
  /**
   * Lists the vault references of the newest or oldest verifications: the owner of the data key, and the tokens. In any
   * order.
   */
  listVaultReferences(page: {
    readonly of: 'newest' | 'oldest'
    readonly limit: number
  }): Promise<readonly VaultReference[]>
}

/** Vault references in the row of a verification. */
export interface VaultReferenceRow {
  readonly appId: string
  readonly userId: string
  readonly ssnToken: string | null
  readonly documentNumberToken: string | null
}

/** Converts the row for the port. */
export function vaultReference({ appId, userId, ssnToken, documentNumberToken }: VaultReferenceRow): VaultReference {
  return { appId, userId, tokens: [ssnToken, documentNumberToken].filter((token) => token !== null) as Token[] }
}
