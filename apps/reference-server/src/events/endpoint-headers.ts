import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { OpenHeaders, SealedHeaders } from '@kyc-relay/webhooks/internal'
import type { SealContext } from '@kyc-relay/kyc-core/internal'
import type { EndpointHeadersStore } from '@kyc-relay/storage-drizzle/internal'
import { findDamaged } from '../identity/find-damaged.js'
import { rewrapRows } from '../identity/rewrap-rows.js'
import { openText, rewrapText, sealText, wrappingKeyIdOfText } from '../identity/sealed-value.js'

const contextOf = (appId: string): SealContext => ({ purpose: 'endpoint_headers', appId })

type Halves = Pick<SealedHeaders, 'sealed' | 'dataKey'>

/** Splits a sealed text into the bytes, which stay, and the data key, which a rotation wraps anew. */
function halvesOf(text: string): Halves {
  const { sealed, ...dataKey } = JSON.parse(text) as { readonly sealed: string }
  return { sealed, dataKey: JSON.stringify(dataKey) }
}

/** Returns the sealed text; for a damaged one a text that does not open. */
function textOf({ sealed, dataKey }: Halves): string {
  try {
    return JSON.stringify({ ...(JSON.parse(dataKey) as object), sealed })
  } catch {
    return ''
  }
}

interface DamagedEndpoint {
  readonly appId: string
  readonly endpointId: string
}

/** Seals and opens static headers of endpoints. */
export interface EndpointHeaders {
  seal(appId: string, headers: Readonly<Record<string, string>>): Promise<SealedHeaders>
  /** Rejects with KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
  readonly open: OpenHeaders
  /** Finds endpoints with damaged headers as {@link findDamaged} does. Rejects with KycError `KEY_UNKNOWN`. */
  findDamaged(verifiedKeyIds: ReadonlySet<string>): Promise<readonly DamagedEndpoint[]>
  /** Re-wraps headers as {@link rewrapRows} does. Rejects with KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
  rewrap(
    shouldContinue: () => boolean,
    onDamaged?: (endpoint: DamagedEndpoint) => void,
  ): Promise<{ readonly rewrapped: number; readonly remaining: number }>
}

/** Creates what seals and opens static headers. */
export function createEndpointHeaders(deps: {
  readonly store: EndpointHeadersStore
  readonly cipher: PiiCipher
}): EndpointHeaders {
  const { store, cipher } = deps

  const open: OpenHeaders = async ({ appId, headers }) =>
    JSON.parse(await openText(cipher, contextOf(appId), textOf(headers))) as Record<string, string>

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
      const text = await sealText(cipher, contextOf(appId), JSON.stringify(headers))
      return { names: Object.keys(headers), ...halvesOf(text) }
    },
    open,
    findDamaged: (verifiedKeyIds) =>
      findDamaged(pages(), verifiedKeyIds, {
        wrappingKeyIdOf: ({ headers }) => wrappingKeyIdOfText(textOf(headers)),
        open,
      }),
    async rewrap(shouldContinue, onDamaged = () => undefined) {
      return rewrapRows(
        pages(),
        {
          currentKeyId: await cipher.currentKeyId(),
          wrappingKeyIdOf: ({ headers }) => wrappingKeyIdOfText(textOf(headers)),
          async rewrap({ appId, endpointId, headers: former }) {
            const text = await rewrapText(cipher, contextOf(appId), textOf(former))
            const fresh = { ...former, ...halvesOf(text) }
            return store.replaceSealedHeaders({ appId, endpointId, former, fresh })
          },
          onDamaged: ({ appId, endpointId }) => onDamaged({ appId, endpointId }),
        },
        shouldContinue,
      )
    },
  }
}
