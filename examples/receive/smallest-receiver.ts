import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '@kyc-relay/webhooks'

/** A receiver with nothing but Node: the raw bytes in, a verified event out. Put TLS and a size limit before it. */
export function createReceiver(apiKey: string, onEvent: (type: string, eventId: string) => void) {
  async function receive(request: IncomingMessage): Promise<number> {
    const body = await buffer(request)
    const verified = await verifyWebhook({ body, headers: request.headers, secrets: apiKey }).catch(() => null)
    if (verified === null) return 401
    onEvent(verified.type, verified.eventId)
    return 200
  }
  return createServer((request, response) => {
    // A client that goes away in the middle, or a failure of your own, must not end the process: it is sent again.
    void receive(request)
      .catch(() => 500)
      .then((status) => response.writeHead(status).end())
  })
}
