import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { PortalHolder, PortalSessions } from '../storage/portal-sessions.js'
import type { PreparedTest } from '../webhooks-api/test-event.js'
import { parsePreparedTest, writePreparedTest } from './prepared-test.js'

/** Signed-in user: an app with its API key, or the operator with the internal token. */
export type SessionHolder = PortalHolder

/** Message above the content of a page. */
export interface Notice {
  readonly tone: 'good' | 'bad' | 'warn'
  readonly text: string
}

/** The session of a request. */
export interface Session {
  readonly holder: SessionHolder
  /** Token of every form of this session. */
  readonly csrfToken: string
  /** Message for the next page. */
  readonly notice: Notice | null
  /** Stores the message for the next page of any process; null removes it. */
  flash(notice: Notice | null): Promise<void>
  /** Stores a shown test event for sending. Only the newest eight are kept. */
  keepPreview(previewId: string, test: PreparedTest): Promise<void>
  /** Returns the shown test event once; null afterwards. */
  takePreview(previewId: string): Promise<PreparedTest | null>
  /** Ends every other session of its app, after a change of keys. */
  endOthers(): Promise<void>
}

/** Idle time: 30 minutes without a request. */
const idleMs = 30 * 60_000
/** Longest lifetime: 8 hours. */
const absoluteMs = 8 * 60 * 60_000
/** Most sessions of one app, and of the operator. A further one ends the oldest. */
const mostSessions = 1_000
const mostPreviews = 8

/** Portal sessions of all processes. Only hashes of their ids are stored. */
export interface Sessions {
  /** Starts a session with a new id. An id sent by the browser is never reused. */
  begin(holder: SessionHolder): Promise<{ readonly id: string }>
  /** Finds a session; null if it is unknown, ended, idle or too old. */
  find(id: string): Promise<Session | null>
  end(id: string): Promise<void>
}

const operatorPrefix = 'operator_'

/**
 * Creates sessions over a store that all processes share.
 *
 * Sessions of the operator depend on the internal token of their start: a new token ends them, and a process without
 * the operator's pages finds none. The stored hash cannot be reversed because the id has 256 random bits.
 */
export function createSessions(deps: {
  readonly store: PortalSessions
  readonly recordSignIn: AppDirectory['recordSignIn']
  /** Null if the operator cannot sign in. */
  readonly internalToken: string | null
  /** Creates 256 random bits as text. */
  readonly newSecret: () => string
}): Sessions {
  const { store, recordSignIn, newSecret, internalToken } = deps
  const isOperators = (id: string) => id.startsWith(operatorPrefix)
  const hashOf = (id: string) => {
    // An internal token is never empty, so without one no hash matches.
    const bound = isOperators(id)
      ? createHmac('sha256', id).update(internalToken ?? '')
      : createHash('sha256').update(id)
    return new Uint8Array(bound.digest())
  }
  return {
    async begin(holder) {
      const id = `${holder.kind === 'operator' ? operatorPrefix : ''}${newSecret()}`
      const hash = hashOf(id)
      // First the entry: no session exists without one.
      await recordSignIn({ hash, app: holder.kind === 'app' ? holder : null })
      await store.beginSession({ hash, holder, idleMs, absoluteMs, most: mostSessions })
      return { id }
    },
    async find(id) {
      const hash = hashOf(id)
      const found = await store.findSession(hash, idleMs)
      // A row changed by hand must not turn an app into the operator.
      if (found === null || (found.holder.kind === 'operator') !== isOperators(id)) return null
      return {
        holder: found.holder,
        csrfToken: formToken(id, 'session'),
        notice: found.notice === null ? null : (JSON.parse(found.notice) as Notice),
        flash: (notice) => store.setNotice(hash, notice && JSON.stringify(notice)),
        keepPreview: (previewId, test) =>
          store.keepPreview({ hash, previewId, content: writePreparedTest(test), most: mostPreviews }),
        async takePreview(previewId) {
          const content = await store.takePreview({ hash, previewId })
          return content && parsePreparedTest(content)
        },
        async endOthers() {
          const { holder } = found
          if (holder.kind === 'app') await store.endOtherSessions({ appId: holder.appId, keep: hash })
        },
      }
    },
    end: (id) => store.endSession(hashOf(id)),
  }
}

/**
 * Derives the form token from the random id in a cookie. Every process can compute it, so it is not stored. The id
 * cannot be computed from it.
 */
export function formToken(id: string, purpose: 'session' | 'sign-in'): string {
  return createHmac('sha256', id).update(`kyc-relay portal form, ${purpose}`).digest('base64url')
}

/** Compares secrets in constant time. */
export function equalSecrets(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
