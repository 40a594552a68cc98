import { shellVariableOf, signedHeaders } from '@kyc-relay/webhooks/internal'

/** What {@link shownHeaders} needs to know of a request. */
export interface ShownRequest {
  readonly url: string
  readonly xEventId: string
  readonly test: boolean
  readonly body: Uint8Array
  readonly standardWebhooks: boolean
  /** Names of the static headers of the endpoint. */
  readonly headerNames: readonly string[]
}

/** What stands for a value that depends on the API key or on the time of an attempt. */
const placeholders = {
  'x-hmac-signature': '$signature',
  'webhook-timestamp': '$timestamp',
  'webhook-signature': '$webhook_signature',
}

/**
 * Returns the headers of a request as they are sent, with those of the HTTP client, names in lower case. The value of a
 * static header is shown as `$NAME`. Without a key, so are the signatures and their time.
 */
export async function shownHeaders(
  { url, headerNames, ...request }: ShownRequest,
  key: { readonly secret: string; readonly now: Date } | null,
): Promise<Readonly<Record<string, string>>> {
  const signed = await signedHeaders({
    ...request,
    ...(key ?? { secret: 'not shown', now: new Date(0) }),
    headers: Object.fromEntries(headerNames.map((name) => [name, shellVariableOf(name)])),
  })
  const hidden = key === null ? Object.entries(placeholders).filter(([name]) => name in signed) : []
  return {
    host: new URL(url).host,
    connection: 'close',
    ...signed,
    ...Object.fromEntries(hidden),
    'accept-encoding': 'identity',
    'content-length': String(request.body.byteLength),
  }
}
