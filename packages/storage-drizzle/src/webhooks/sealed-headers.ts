import type { NewEndpoint, SealedHeaders } from '@kyc-relay/webhooks/internal'

/** Static headers of one endpoint, to seal anew. */
export interface EndpointHeaders {
  readonly appId: string
  readonly endpointId: string
  readonly headers: SealedHeaders
}

/** Static headers of all endpoints, for the rotation of the key that seals them. */
export interface EndpointHeadersStore {
  /** Lists at most `limit` endpoints with headers, by app and id, after one of them. */
  pageHeaders(request: {
    readonly after?: Pick<EndpointHeaders, 'appId' | 'endpointId'>
    readonly limit: number
  }): Promise<readonly EndpointHeaders[]>
  /** Replaces headers by others with the same `sealed` unless they changed meanwhile; false if they did. */
  replaceSealedHeaders(request: {
    readonly appId: string
    readonly endpointId: string
    readonly former: SealedHeaders
    readonly fresh: SealedHeaders
  }): Promise<boolean>
}

/** Converts headers to a column. */
export const formatHeaders = (headers: NewEndpoint['headers']): string | null =>
  headers == null ? null : JSON.stringify({ names: headers.names, sealed: headers.sealed, dataKey: headers.dataKey })

/** Reads headers from a column. */
export const parseHeaders = (text: string | null): SealedHeaders | null =>
  text === null ? null : (JSON.parse(text) as SealedHeaders)
