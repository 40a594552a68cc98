import type { AuditActor } from '@kyc-relay/kyc-core/audit'

/** A user whose account is closed. */
export interface ClosedUser {
  readonly userId: string
  readonly closedAt: Date
}

/** What delays or starts the end of a user's data. */
export interface UserRetentionState {
  /** The legal hold; null without one. */
  readonly hold: { readonly heldAt: Date; readonly reason: string } | null
  /** Null while the account is open. */
  readonly closedAt: Date | null
  /** Null unless an erasure has started and not finished. */
  readonly erasureStartedAt: Date | null
}

/** Tells whether a submission arrived while an erasure ran: before its end, and maybe after its rows were erased. */
export function isDuringErasure<Time extends Date | number>(
  erasure: { readonly startedAt: Time | null; readonly erasedAt: Time | null } | undefined,
  arrivedAt: Time,
): boolean {
  if (erasure === undefined) return false
  return erasure.startedAt !== null || (erasure.erasedAt !== null && arrivedAt < erasure.erasedAt)
}

/**
 * Legal holds, closures of accounts, and the start and end of erasures. They concern a user in all apps. A hold and an
 * erasure exclude each other: of two racing callers exactly one wins. `actor` is who asked for a
 * change; the audit entry names it.
 */
export interface UserRetention {
  /** Returns the state of a user. A user who was never held, closed or erased has one too. */
  find(userId: string): Promise<UserRetentionState>

  /**
   * Places a legal hold, or replaces the reason of a hold. From then on `startErasure` and `eraseUser` refuse the user,
   * and `removeOld` keeps the user's bodies and attempts: a step that is running ends first.
   *
   * @returns `erasure_in_progress` when an erasure has started and not finished; nothing was written then.
   */
  hold(request: {
    readonly userId: string
    /** Kept with the hold. */
    readonly reason: string
    readonly actor?: AuditActor
  }): Promise<'held' | 'erasure_in_progress'>

  /** Releases the legal hold; false when there was none. */
  release(request: { readonly userId: string; readonly actor?: AuditActor }): Promise<boolean>

  /**
   * Records since when the account is closed, or with null that it is open again. A later call replaces the time.
   *
   * @returns `erasure_in_progress` when an erasure has started and not finished, which would forget the time; nothing
   *   was written then.
   */
  close(request: {
    readonly userId: string
    readonly closedAt: Date | null
    readonly actor?: AuditActor
  }): Promise<'recorded' | 'erasure_in_progress'>

  /**
   * Lists users whose account was closed at `closedUntil` or before, oldest first, then by user id. `held` chooses users
   * with or without a legal hold. `limit` 1–10,000.
   */
  listClosed(request: {
    readonly closedUntil: Date
    readonly held: boolean
    readonly limit: number
  }): Promise<readonly ClosedUser[]>

  /**
   * Records that the users of this report are to be erased, in the audit log if there is one. Erases nothing.
   */
  recordConfirmedReport(request: { readonly reportId: string; readonly actor?: AuditActor }): Promise<void>

  /**
   * Starts an erasure in all apps. It ends with `finishErasure`; until then no hold can be placed. A later start takes
   * over: only its id finishes the erasure. Repeat all steps after a failure. Until the end no submission of the user is
   * recorded (`ERASURE_IN_PROGRESS`, retryable).
   *
   * @param request `closedUntil`: only if the account was closed then or before. An account that opens again at the same
   *   time is either not erased, or `close` is refused.
   * @returns `held` when the user is under a legal hold, `not_due` when the account was not closed at `closedUntil`;
   *   nothing was written then.
   */
  startErasure(request: {
    readonly userId: string
    readonly erasureId: string
    readonly closedUntil?: Date
    readonly actor?: AuditActor
  }): Promise<'started' | 'held' | 'not_due'>

  /**
   * Ends the erasure with this id, and forgets the closure of the account. Does nothing after a later start. Submissions
   * that arrived before stay refused: their tokens may be of a destroyed key.
   */
  finishErasure(request: { readonly userId: string; readonly erasureId: string }): Promise<void>
}
