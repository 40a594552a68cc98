import { shellVariableOf } from './endpoint-headers.js'

/** Data of a delivery for {@link reproducibleCurl}. */
export interface CurlDelivery {
  readonly url: string
  readonly xEventId: string
  readonly test: boolean
  /** Exact bytes of the body, valid UTF-8. */
  readonly body: Uint8Array
  /** Names of the static headers of the endpoint. Default none. */
  readonly headerNames?: readonly string[]
}

/**
 * Creates a shell command that sends a delivery again from the partner's machine, byte for byte, with a valid
 * signature.
 *
 * It holds no secret: the API key is read from `$KYC_RELAY_API_KEY`, and the value of a static header from the variable of
 * its name, for example `$X_TENANT`. Needs a POSIX shell, `curl` and `openssl`.
 *
 * @example
 * ```ts
 * import { reproducibleCurl } from '@kyc-relay/webhooks/delivery'
 *
 * const command = reproducibleCurl({
 *   url: 'https://partner.com/hooks',
 *   xEventId: '0198c1c0-0000-7000-8000-000000000001',
 *   test: false,
 *   body: new TextEncoder().encode('{"amount":100.5}'),
 * })
 * ```
 */
export function reproducibleCurl(delivery: CurlDelivery): string {
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(delivery.body)
  const headers = [
    'Content-Type: application/json',
    `X-Event-ID: ${delivery.xEventId}`,
    ...(delivery.test ? ['X-Test-Event: true'] : []),
  ]
  return [
    `body=${quoted(body)}`,
    `signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$KYC_RELAY_API_KEY" -r | cut -c1-64)`,
    [
      'curl --include --max-time 30 --request POST',
      ...headers.map((header) => `--header ${quoted(header)}`),
      ...(delivery.headerNames ?? []).map((name) => `--header ${quoted(`${name}: `)}"${shellVariableOf(name)}"`),
      '--header "X-HMAC-Signature: $signature"',
      '--data-raw "$body"',
      // curl would expand brackets and braces in a URL.
      `--globoff --url ${quoted(delivery.url)}`,
    ].join(' \\\n  '),
  ].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
