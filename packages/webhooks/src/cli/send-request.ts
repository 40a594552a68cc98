import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { rootCertificates } from 'node:tls'

/** `User-Agent` of an event that the command line sends. */
export const cliUserAgent = 'kyc-webhooks-cli/1'

/** Posts bytes and returns status and text of the response, at most 64 KiB. Follows no redirect. */
export function sendRequest(request: {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** PEM of a certificate authority to trust in addition to the public ones. */
  readonly ca?: string | undefined
  readonly timeoutMs: number
}): Promise<{ readonly status: number; readonly text: string }> {
  const { url, headers, body, ca, timeoutMs } = request
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': body.byteLength },
      signal: AbortSignal.timeout(timeoutMs),
      // Alone it would replace the public ones.
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    })
    outgoing.on('error', reject)
    // An answer that switches protocols is no response event, and no error.
    outgoing.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      resolve({ status: statusCode ?? 0, text: '' })
    })
    outgoing.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (text.length < 65_536) text += chunk
      })
      const done = () => resolve({ status: response.statusCode ?? 0, text: text.slice(0, 65_536) })
      response.on('end', done)
      // The status is known; the rest of the response is optional, also when the time is up.
      response.on('error', done)
      outgoing.off('error', reject).on('error', done)
    })
    outgoing.end(body)
  })
}
