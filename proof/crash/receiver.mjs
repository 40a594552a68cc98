import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '@kyc-relay/webhooks'

/** How long the slow receiver takes, so that a kill meets attempts in flight. */
const slowMs = 300

/** Status for the n-th POST of one event, by the last part of the path. */
const behaviours = {
  good: () => 200,
  slow: () => 200,
  'fails-once': (n) => (n === 1 ? 500 : 204),
}

/**
 * The partner's receiver and its own ledger: what came, whether the signature was right, and what it answered. It lives
 * through every kill of the server.
 */
export async function startReceiver(demo, apiKey) {
  /** By `X-Event-ID`. */
  const ledger = new Map()
  const violations = []

  async function receive(request, response) {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { eventId } = await verifyWebhook({ body, headers: request.headers, secrets: apiKey })
    const seen = ledger.get(eventId) ?? { posts: 0, accepted: 0, body }
    ledger.set(eventId, seen)
    seen.posts += 1
    if (!seen.body.equals(body)) violations.push(`X-Event-ID ${eventId}: two attempts had different bodies`)
    const behaviour = new URL(request.url, 'https://localhost').pathname.split('/').at(-1)
    if (behaviour === 'slow') await sleep(slowMs)
    const status = behaviours[behaviour](seen.posts)
    if (status < 300) seen.accepted += 1
    response.writeHead(status).end()
  }

  const server = createServer(
    { cert: readFileSync(demo.receiverCertFile), key: readFileSync(demo.receiverKeyFile) },
    (request, response) => {
      receive(request, response).catch((error) => {
        // A kill cuts requests off. Anything else is wrong: above all a signature.
        if (error?.code !== 'ECONNRESET') violations.push(`receiver: ${error?.code ?? error}`)
        response.destroy()
      })
    },
  ).listen(0, '127.0.0.1')
  server.on('tlsClientError', () => undefined)
  await once(server, 'listening')
  return {
    url: (path) => `https://localhost:${server.address().port}/${path}`,
    ledger,
    violations,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
