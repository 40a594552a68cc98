import { createHash, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PreparedTest } from '../api/test-event.js'

/** Who is signed in: an app by its API key, or the operator by the internal token. */
export type SessionHolder =
  | { readonly kind: 'app'; readonly appId: string; readonly appName: string; readonly keyVersion: number }
  | { readonly kind: 'operator' }

/** One sign-in. */
export interface Session {
  readonly holder: SessionHolder
  /** Value that every form of this session carries. */
  readonly csrfToken: string
  /** Test events that were shown and may be sent, newest last. */
  readonly previews: Map<string, PreparedTest>
  /** Said once, on the next page. */
  notice: { readonly tone: 'good' | 'bad' | 'warn'; readonly text: string } | null
}

/** 30 minutes without a request. */
export const idleMs = 30 * 60_000
/** 8 hours altogether. */
export const absoluteMs = 8 * 60 * 60_000

/** Sign-ins of this process. Only hashes of their ids are kept. */
export interface Sessions {
  /** A new session under a new id; an id that a browser brought along is never taken over. */
  begin(holder: SessionHolder): { readonly id: string; readonly session: Session }
  /** The session of this id, unless it is unknown, ended, idle or too old. */
  find(id: string): Session | null
  end(id: string): void
  /** Ends every session of an app but this one: after a change of keys. */
  endOthers(appId: string, keep: Session): void
}

interface Entry {
  readonly session: Session
  readonly begunAtMs: number
  seenAtMs: number
}

/** Sessions in memory. A restart signs everybody out; several processes need a balancer that keeps a browser at one. */
export function createSessions(deps: {
  /** Milliseconds that never run backwards. */
  readonly nowMs: () => number
  /** 256 random bits as text, fresh on every call. */
  readonly newSecret: () => string
}): Sessions {
  const { nowMs, newSecret } = deps
  const entries = new LRUCache<string, Entry>({ max: 10_000 })
  const keyOf = (id: string) => createHash('sha256').update(id).digest('base64url')
  return {
    begin(holder) {
      const id = newSecret()
      const session: Session = { holder, csrfToken: newSecret(), previews: new Map(), notice: null }
      entries.set(keyOf(id), { session, begunAtMs: nowMs(), seenAtMs: nowMs() })
      return { id, session }
    },
    find(id) {
      const key = keyOf(id)
      const entry = entries.get(key)
      if (entry === undefined) return null
      const now = nowMs()
      if (now - entry.seenAtMs > idleMs || now - entry.begunAtMs > absoluteMs) {
        entries.delete(key)
        return null
      }
      entry.seenAtMs = now
      return entry.session
    },
    end: (id) => void entries.delete(keyOf(id)),
    endOthers(appId, keep) {
      for (const [key, { session }] of entries.entries()) {
        if (session !== keep && session.holder.kind === 'app' && session.holder.appId === appId) entries.delete(key)
      }
    },
  }
}

/** Compares secrets without telling by time where they differ. */
export function equalSecrets(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
