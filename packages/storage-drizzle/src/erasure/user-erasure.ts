/** What an erasure did to the rows of one user of one app. */
export interface ErasedRows {
  /** Deliveries that were waiting, and those whose attempt in flight is their last. */
  readonly deliveriesCancelled: number
  /** Event bodies that are gone. */
  readonly bodiesBlanked: number
  /** Transactions whose fields are gone; their states stay. */
  readonly transactionsBlanked: number
  /** Every photo job, named again by a repeated erasure: what was stored for them is to be removed. */
  readonly photoJobIds: readonly string[]
  /** How many of them had a stored photo until now. */
  readonly photosErased: number
  /** Verifications that stay: ids, decision, checks, decline codes and status log. */
  readonly verificationsKept: number
}

/** The right to erase what rows outside the vault say about a user. Held by operations. */
export interface UserErasure {
  /** Apps that hold anything of this user: a grant, a verification, an event or a transaction. */
  listAppsOfUser(userId: string): Promise<readonly string[]>
  /**
   * Cancels what is pending, blanks event bodies and answers of receivers, transaction fields and photo URLs: all of it
   * or nothing. Harmless when repeated. Sealed parts of verifications stay and cannot be opened once the vault has
   * destroyed the data key.
   */
  eraseUser(owner: { readonly appId: string; readonly userId: string }): Promise<ErasedRows>
}
