import type { PiiCipher, SealContext } from '@kyc-relay/kyc-core'
import type { EndpointHeadersStore } from '@kyc-relay/storage-drizzle/apps'
import type { OpenHeaders, SealedHeaders } from '@kyc-relay/webhooks/delivery'
import { openText, rewrapText, sealText, wrappingKeyIdOfText } from '../identity/sealed-value.js'

const contextOf = (appId: string): SealContext => ({ purpose: 'endpoint_headers', appId })

/** Seals and opens static headers of endpoints. */
export interface EndpointHeaders {
  seal(appId: string, headers: Readonly<Record<string, string>>): Promise<SealedHeaders>
  /** Rejects with KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
  readonly open: OpenHeaders
  /** Checks whether the key file has the keys of all headers. */
  canOpenAll(): Promise<boolean>
  /**
   * Re-wraps headers under the current wrapping key, each in one write. It continues after a stop, and two processes
   * may run it at once.
   */
  rewrap(shouldContinue: () => boolean): Promise<number>
}

/** Creates what seals and opens static headers. */
export function createEndpointHeaders(deps: {
  readonly store: EndpointHeadersStore
  readonly cipher: PiiCipher
}): EndpointHeaders {
  const { store, cipher } = deps

  const open: OpenHeaders = async ({ appId, headers }) =>
    JSON.parse(await openText(cipher, contextOf(appId), headers.sealed)) as Record<string, string>

  async function* pages() {
    const limit = 200
    let page = await store.pageHeaders({ limit })
    while (page.length > 0) {
      yield page
      const after = page.at(-1)
      if (page.length < limit || after === undefined) return
      page = await store.pageHeaders({ after, limit })
    }
  }

  return {
    async seal(appId, headers) {
      return { names: Object.keys(headers), sealed: await sealText(cipher, contextOf(appId), JSON.stringify(headers)) }
    },
    open,
    async canOpenAll() {
      const opened = new Set<string>()
      try {
        for await (const page of pages()) {
          for (const row of page) {
            const keyId = wrappingKeyIdOfText(row.headers.sealed)
            if (opened.has(keyId)) continue
            await open(row)
            opened.add(keyId)
          }
        }
        return true
      } catch {
        return false
      }
    },
    async rewrap(shouldContinue) {
      const current = await cipher.currentKeyId()
      let rewrapped = 0
      for await (const page of pages()) {
        for (const { appId, endpointId, headers: former } of page) {
          if (wrappingKeyIdOfText(former.sealed) === current) continue
          if (!shouldContinue()) return rewrapped
          const fresh = { ...former, sealed: await rewrapText(cipher, contextOf(appId), former.sealed) }
          if (await store.replaceSealedHeaders({ appId, endpointId, former, fresh })) rewrapped += 1
        }
      }
      return rewrapped
    },
  }
}
