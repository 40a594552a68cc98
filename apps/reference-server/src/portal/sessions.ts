import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { PortalHolder, PortalSessions } from '@kyc-relay/storage-drizzle/sqlite'
import type { PreparedTest } from '../webhooks-api/test-event.js'
import { parsePreparedTest, writePreparedTest } from './prepared-test.js'

/** Who is signed in: an app by its API key, or the operator by the internal token. */
export type SessionHolder = PortalHolder

/** What a page says above its content. */
export interface Notice {
  readonly tone: 'good' | 'bad' | 'warn'
  readonly text: string
}

/** One sign-in, as a request finds it. */
export interface Session {
  readonly holder: SessionHolder
  /** Value that every form of this session carries. */
  readonly csrfToken: string
  /** Said once, on the next page. */
  readonly notice: Notice | null
  /** Keeps what the next page is to say, whichever process sends it; null once it was said. */
  flash(notice: Notice | null): Promise<void>
  /** Keeps a test event that was shown and may be sent; the oldest of more than eight is forgotten. */
  keepPreview(previewId: string, test: PreparedTest): Promise<void>
  /** The test event as it was shown, once; null afterwards. */
  takePreview(previewId: string): Promise<PreparedTest | null>
  /** Ends every other session of its app: after a change of keys. */
  endOthers(): Promise<void>
}

/** 30 minutes without a request. */
const idleMs = 30 * 60_000
/** 8 hours altogether. */
const absoluteMs = 8 * 60 * 60_000
/** Of one app, and of the operator. With one more the oldest ends. */
const mostSessions = 1_000
const mostPreviews = 8

/** Sign-ins of all processes. Only hashes of their ids are kept. */
export interface Sessions {
  /** A new session under a new id; an id that a browser brought along is never taken over. */
  begin(holder: SessionHolder): Promise<{ readonly id: string }>
  /** The session of this id, unless it is unknown, ended, idle or too old. */
  find(id: string): Promise<Session | null>
  end(id: string): Promise<void>
}

const operatorPrefix = 'operator_'

/**
 * Sessions in a store that all processes share.
 *
 * The operator's are found with the internal token alone that began them: a new one ends them, and a process that does not
 * serve the operator knows none. Nothing can be tried against the stored hash, since the id in it is as random as a key.
 */
export function createSessions(deps: {
  readonly store: PortalSessions
  /** Null where the operator does not sign in. */
  readonly internalToken: string | null
  /** 256 random bits as text, fresh on every call. */
  readonly newSecret: () => string
}): Sessions {
  const { store, newSecret, internalToken } = deps
  const isOperators = (id: string) => id.startsWith(operatorPrefix)
  const hashOf = (id: string) => {
    // No internal token is empty, so where there is none no hash fits.
    const bound = isOperators(id)
      ? createHmac('sha256', id).update(internalToken ?? '')
      : createHash('sha256').update(id)
    return new Uint8Array(bound.digest())
  }
  return {
    async begin(holder) {
      const id = `${holder.kind === 'operator' ? operatorPrefix : ''}${newSecret()}`
      await store.beginSession({ hash: hashOf(id), holder, idleMs, absoluteMs, most: mostSessions })
      return { id }
    },
    async find(id) {
      const hash = hashOf(id)
      const found = await store.findSession(hash, idleMs)
      // A row that was changed by hand makes no operator of an app.
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
 * The value that forms carry for whoever has this random id in a cookie. It follows from the id, so that every process
 * knows it and none keeps it; the id does not follow from it.
 */
export function formToken(id: string, purpose: 'session' | 'sign-in'): string {
  return createHmac('sha256', id).update(`kyc-relay portal form, ${purpose}`).digest('base64url')
}

/** Compares secrets without telling by time where they differ. */
export function equalSecrets(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
