import { createHmac, randomBytes } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { callerKey } from '../operator-api/internal-caller.js'
import type { InternalCaller, Operator } from '../identity/operators.js'
import type { PortalHolder, PortalSessions } from '../storage/portal-sessions.js'
import { sha256 } from '../sha256.js'
import type { PreparedTest } from '../webhooks-api/test-event.js'
import { parsePreparedTest, writePreparedTest } from './prepared-test.js'

/** Signed-in user: an app with its API key, or an operator with the operator's own token. */
export type SessionHolder = Extract<PortalHolder, { readonly kind: 'app' }> | OperatorHolder

/** A signed-in operator with the present rights. */
export type OperatorHolder = Extract<InternalCaller, { readonly kind: 'operator' }>

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
/** Most sessions of one app, and of all operators. A further one ends the oldest. */
const mostSessions = 1_000
const mostPreviews = 8

/** Portal sessions of all processes. Only hashes of their ids are stored. */
export interface Sessions {
  /** Starts a session with a new id. An id sent by the browser is never reused. */
  begin(holder: AppHolder | Operator): Promise<{ readonly id: string }>
  /** Finds a session; null if it is unknown, ended, idle or too old. */
  find(id: string): Promise<Session | null>
  end(id: string): Promise<void>
}

/** Stores of sessions. */
export interface SessionDeps {
  /** Portal sessions, shared by all processes. */
  readonly portalSessions: PortalSessions
  readonly recordSignIn: AppDirectory['recordSignIn']
}

/** Creates 256 random bits as text. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url')

type AppHolder = Extract<PortalHolder, { readonly kind: 'app' }>

/** Ids of operators' sessions name the hash of the operator's token, so that the operator is found before the row. */
const operatorsId = /^operator_([0-9a-f]{16})_/
const operatorsPrefix = ({ tokenHash }: Operator) => `operator_${tokenHash.slice(0, 16)}_`

/**
 * Creates sessions over a store that all processes share.
 *
 * A session of an operator depends on the token of its start: a new token or a removed operator ends it, and changed
 * rights count from the next request. The stored hash cannot be reversed because the id has 256 random bits.
 */
export function createSessions(
  deps: SessionDeps & {
    /** Operators who can sign in; none on the standard API. */
    readonly operators: readonly Operator[]
    /** Creates 256 random bits as text. */
    readonly newSecret: () => string
  },
): Sessions {
  const { portalSessions: store, recordSignIn, newSecret, operators } = deps
  const operatorOf = (id: string) => {
    const begin = operatorsId.exec(id)?.[1]
    return begin === undefined ? undefined : operators.find(({ tokenHash }) => tokenHash.startsWith(begin))
  }
  const hashOf = (id: string) => {
    const operator = operatorOf(id)
    const hash = operator === undefined ? sha256(id) : createHmac('sha256', id).update(operator.tokenHash).digest()
    return new Uint8Array(hash)
  }
  return {
    async begin(holder) {
      const app = 'kind' in holder ? holder : null
      const operator = 'kind' in holder ? null : holder
      const id = `${operator === null ? '' : operatorsPrefix(operator)}${newSecret()}`
      const hash = hashOf(id)
      const actor = operator && { name: callerKey(asCaller(operator)), reason: null }
      // First the entry: no session exists without one.
      await recordSignIn({ hash, app, ...(actor === null ? {} : { actor }) })
      await store.beginSession({ hash, holder: app ?? { kind: 'operator' }, idleMs, absoluteMs, most: mostSessions })
      return { id }
    },
    async find(id) {
      const hash = hashOf(id)
      const found = await store.findSession(hash, idleMs)
      if (found === null) return null
      const operator = operatorOf(id)
      const holder = found.holder.kind === 'app' ? found.holder : operator && asCaller(operator)
      // A row changed by hand must not turn an app into an operator.
      if (holder === undefined || (holder.kind === 'operator') !== (operator !== undefined)) return null
      return {
        holder,
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
          if (holder.kind === 'app') await store.endOtherSessions({ appId: holder.appId, keep: hash })
        },
      }
    },
    end: (id) => store.endSession(hashOf(id)),
  }
}

function asCaller({ name, rights }: Operator): OperatorHolder {
  return { kind: 'operator', name, rights }
}

/**
 * Derives the form token from the random id in a cookie. Every process can compute it, so it is not stored. The id
 * cannot be computed from it.
 */
export function formToken(id: string, purpose: 'session' | 'sign-in'): string {
  return createHmac('sha256', id).update(`kyc-relay portal form, ${purpose}`).digest('base64url')
}
