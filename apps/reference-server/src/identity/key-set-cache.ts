import { createLocalJWKSet } from 'jose'
import type { OauthDocuments } from './oauth-documents.js'
import { OauthServerError } from './oauth-server-error.js'

/** Finds the key that a token names. */
export type LocalJWKSet = ReturnType<typeof createLocalJWKSet>

/** After this a key set is fetched anew, and used on while the server does not answer. */
const freshMs = 5 * 60 * 1000
/** After this it is not used any more: a key that was withdrawn signs nothing for longer. */
const usableMs = 10 * 60 * 1000
/** Least time between two fetches that an unknown key asks for. */
const refetchMs = 30 * 1000
/** Least time between two fetches while the server does not answer. */
const retryMs = 2 * 1000

/** Keys of the OAuth server, fetched seldom however many tokens come. */
export interface KeySetCache {
  /** @throws OauthServerError when there is no usable key set. */
  current(): Promise<LocalJWKSet>
  /**
   * A newer key set than the one that lacked a key, or the same one when it was fetched less than 30 s ago.
   *
   * @throws OauthServerError when the server was asked and did not answer.
   */
  newerThan(known: LocalJWKSet): Promise<LocalJWKSet>
}

/** @param nowMs Monotonic time in milliseconds. */
export function createKeySetCache(documents: OauthDocuments, nowMs: () => number): KeySetCache {
  let cached: { readonly keys: LocalJWKSet; readonly fetchedAtMs: number } | null = null
  let failedAtMs = -Infinity
  let pending: Promise<LocalJWKSet> | null = null

  function fetchOnce(): Promise<LocalJWKSet> {
    if (nowMs() - failedAtMs < retryMs) return Promise.reject(new OauthServerError())
    pending ??= documents
      .fetchKeySet()
      .then(
        (set) => {
          const keys = createLocalJWKSet(set)
          cached = { keys, fetchedAtMs: nowMs() }
          failedAtMs = -Infinity
          return keys
        },
        () => {
          failedAtMs = nowMs()
          throw new OauthServerError()
        },
      )
      .finally(() => {
        pending = null
      })
    return pending
  }

  return {
    async current() {
      const ageMs = cached === null ? Infinity : nowMs() - cached.fetchedAtMs
      if (cached !== null && ageMs < freshMs) return cached.keys
      try {
        return await fetchOnce()
      } catch (error) {
        if (cached !== null && ageMs < usableMs) return cached.keys
        throw error
      }
    },
    async newerThan(known) {
      if (cached !== null && cached.keys !== known) return cached.keys
      if (cached !== null && nowMs() - cached.fetchedAtMs < refetchMs) return cached.keys
      return fetchOnce()
    },
  }
}
