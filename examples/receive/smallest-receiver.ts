import { createServer } from 'node:http'
import { verifyWebhook } from '@kyc-relay/webhooks'

/** A receiver with nothing but Node: the raw bytes in, a verified event out. Put TLS before it. */
export function createReceiver(apiKey: string, onEvent: (type: string, eventId: string) => void) {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    try {
      const { type, eventId } = await verifyWebhook({
        body: Buffer.concat(chunks),
        headers: request.headers,
        secrets: apiKey,
      })
      onEvent(type, eventId)
      response.writeHead(200).end()
    } catch {
      response.writeHead(401).end()
    }
  })
}
