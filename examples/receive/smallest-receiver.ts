import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '@kyc-relay/webhooks'

/** A receiver that needs only Node: it verifies the raw bytes. Put a proxy with TLS and a size limit in front of it. */
export function createReceiver(apiKey: string, onEvent: (type: string, eventId: string) => void) {
  async function receive(request: IncomingMessage): Promise<number> {
    const body = await buffer(request)
    const verified = await verifyWebhook({ body, headers: request.headers, secrets: apiKey }).catch(() => null)
    if (verified === null) return 401
    onEvent(verified.type, verified.eventId)
    return 200
  }
  return createServer((request, response) => {
    // An aborted request or your own failure must not end the process. The service sends the event again.
    void receive(request)
      .catch(() => 500)
      .then((status) => response.writeHead(status).end())
  })
}
