import type { AuditActor } from '@kyc-relay/kyc-core/audit'

/** Result of an erasure for one user of one app. */
export interface ErasedRows {
  /** Number of cancelled deliveries, including those whose attempt in flight is the last. */
  readonly deliveriesCancelled: number
  /** Number of blanked event bodies. */
  readonly bodiesBlanked: number
  /** Number of transactions with blanked fields. Their states are kept. */
  readonly transactionsBlanked: number
  /** All photo jobs of the user; a repeated erasure returns them again. The caller removes their stored photos. */
  readonly photoJobIds: readonly string[]
  /** Number of jobs that had a stored photo before this call. */
  readonly photosErased: number
  /** Number of kept verifications: ids, decision, checks, decline codes and status log. */
  readonly verificationsKept: number
}

/** Right to erase a user's data outside the vault. */
export interface UserErasure {
  /** Lists the apps with a grant, a verification, an event or a transaction of this user. */
  listAppsOfUser(userId: string): Promise<readonly string[]>
  /**
   * Cancels pending deliveries, and blanks event bodies, responses of receivers, transaction fields and photo URLs, in
   * one transaction. It can be repeated. Sealed parts of verifications are kept; they cannot be opened after the vault
   * has destroyed the data key. The answer to an attempt in flight is not kept. `userRetention.startErasure` comes
   * first and `finishErasure` last; without a start this method starts an erasure without an id. Until the end no
   * submission of the user is recorded.
   *
   * @throws StorageError `LEGAL_HOLD` when the user is under a legal hold, `ARGUMENT_INVALID` without an app or a user;
   *   nothing was erased.
   */
  eraseUser(owner: {
    readonly appId: string
    readonly userId: string
    readonly actor?: AuditActor
  }): Promise<ErasedRows>
}
