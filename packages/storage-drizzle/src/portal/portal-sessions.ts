import { StorageError } from '../storage-error.js'

/** Who is signed in: an app by a version of its API key, or the operator. */
export type PortalHolder =
  | { readonly kind: 'app'; readonly appId: string; readonly appName: string; readonly keyVersion: number }
  | { readonly kind: 'operator' }

/** One sign-in as it is found. */
export interface PortalSession {
  readonly holder: PortalHolder
  /** What the next page is to say; opaque to the store. */
  readonly notice: string | null
}

/**
 * Sign-ins to the portal, shared by all processes of one database. A session is named by a hash of its id: whoever reads
 * the table can sign in as nobody. One clock, the store's, decides when a session ends. One method, one atomic write.
 */
export interface PortalSessions {
  /**
   * Begins a session. It ends `idleMs` after it was last found, and `absoluteMs` after it began in any case. Of one
   * holder the newest `most` are kept; concurrent beginnings may leave a few more.
   *
   * @param session `hash`: SHA-256 of the id, 32 bytes. `idleMs`, `absoluteMs`: integer 1–604,800,000 (7 days). `most`:
   *   integer 1–10,000.
   * @throws `CONSTRAINT` when a session of this hash is there: it stays as it is.
   */
  beginSession(session: {
    readonly hash: Uint8Array
    readonly holder: PortalHolder
    readonly idleMs: number
    readonly absoluteMs: number
    readonly most: number
  }): Promise<void>
  /** The session of this hash, which is idle from now on; null when it is unknown or has ended. */
  findSession(hash: Uint8Array, idleMs: number): Promise<PortalSession | null>
  /** Keeps what the next page is to say, in place of what was kept; null forgets it. Without a session nothing is kept. */
  setNotice(hash: Uint8Array, notice: string | null): Promise<void>
  /** Keeps bytes under a name of their own. The newest `most` of a session stay. Without a session nothing is kept. */
  keepPreview(preview: {
    readonly hash: Uint8Array
    readonly previewId: string
    readonly content: Uint8Array
    readonly most: number
  }): Promise<void>
  /** The bytes as they were kept, to one of any number of callers, once; null to all others. */
  takePreview(preview: { readonly hash: Uint8Array; readonly previewId: string }): Promise<Uint8Array | null>
  /** Ends a session with everything kept for it. Harmless when there is none. */
  endSession(hash: Uint8Array): Promise<void>
  /** Ends every session of an app but this one. */
  endOtherSessions(request: { readonly appId: string; readonly keep: Uint8Array }): Promise<void>
}

/** A time to live in whole milliseconds. @throws `ARGUMENT_INVALID` unless it is 1 ms to 7 days. */
export function checkedSessionMs(ms: number): number {
  if (!Number.isSafeInteger(ms) || ms < 1 || ms > 604_800_000) throw new StorageError('ARGUMENT_INVALID')
  return ms
}

/** Most sessions of a holder, or previews of a session. */
export const mostKept = 10_000

/** A holder as columns take it: the operator has no app. */
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
