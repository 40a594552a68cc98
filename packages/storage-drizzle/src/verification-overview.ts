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
}
