/** Signed-in user of a session: an app with a version of its API key, or the operator. */
export type PortalHolder =
  | { readonly kind: 'app'; readonly appId: string; readonly appName: string; readonly keyVersion: number }
  | { readonly kind: 'operator' }

/** A stored session. */
export interface PortalSession {
  readonly holder: PortalHolder
  /** Message for the next page; opaque to the store. */
  readonly notice: string | null
}

/**
 * Stores portal sessions, shared by all processes of one database. A session is identified by a hash of its id, so a
 * reader of the table cannot use a session. The store's clock decides when a session ends. Every method is atomic.
 */
export interface PortalSessions {
  /**
   * Starts a session. It ends `idleMs` after its last use, and at the latest `absoluteMs` after its start. Only the
   * newest `most` sessions of a holder are kept; concurrent starts may leave a few more.
   *
   * @param session `hash`: SHA-256 of the id, 32 bytes.
   * @throws `CONSTRAINT` when a session with this hash exists; it is not changed.
   */
  beginSession(session: {
    readonly hash: Uint8Array
    readonly holder: PortalHolder
    readonly idleMs: number
    readonly absoluteMs: number
    readonly most: number
  }): Promise<void>
  /** Finds a session by its hash and restarts its idle time; null when it is unknown or has ended. */
  findSession(hash: Uint8Array, idleMs: number): Promise<PortalSession | null>
  /** Replaces the message for the next page; null removes it. Without a session nothing is stored. */
  setNotice(hash: Uint8Array, notice: string | null): Promise<void>
  /**
   * Stores bytes under a new name. Only the newest `most` of a session are kept. Without a session nothing is stored.
   */
  keepPreview(preview: {
    readonly hash: Uint8Array
    readonly previewId: string
    readonly content: Uint8Array
    readonly most: number
  }): Promise<void>
  /** Returns the stored bytes once, to one of several callers; null to all other callers. */
  takePreview(preview: { readonly hash: Uint8Array; readonly previewId: string }): Promise<Uint8Array | null>
  /** Ends a session and deletes its data. Does nothing when it is unknown. */
  endSession(hash: Uint8Array): Promise<void>
  /** Ends every other session of an app. */
  endOtherSessions(request: { readonly appId: string; readonly keep: Uint8Array }): Promise<void>
  /** Removes at most `limit` sessions that have ended, with their data, and returns their number. */
  removeEnded(limit: number): Promise<number>
}

/** Kinds of signed-in users. */
export const holderKinds = ['app', 'operator'] as const

/** A holder as column values. The operator has no app. */
export interface HolderColumns {
  readonly kind: PortalHolder['kind']
  readonly appId: string
  readonly appName: string | null
  readonly keyVersion: number | null
}

export function holderColumns(holder: PortalHolder): HolderColumns {
  return holder.kind === 'app' ? holder : { kind: 'operator', appId: '', appName: null, keyVersion: null }
}

export function readHolder({ kind, appId, appName, keyVersion }: HolderColumns): PortalHolder {
  return kind === 'operator' || appName === null || keyVersion === null
    ? { kind: 'operator' }
    : { kind, appId, appName, keyVersion }
}
