import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

/** What a receiver answers to the n-th post of one delivery, by the last part of its path. */
const behaviours = {
  good: () => [200],
  'fails-once': (n) => [n === 1 ? 500 : 204],
  'fails-twice': (n) => [n <= 2 ? 503 : 200],
  'asks-to-wait': (n) => (n === 1 ? [503, { 'retry-after': '1' }] : [200]),
  broken: () => [500],
  redirects: () => [302, { location: 'https://localhost:1/' }],
  gone: () => [410],
}

/** Names of the behaviours: a receiver's path ends with one of them. */
export const behaviourNames = Object.keys(behaviours)

/** A partner's receiver over TLS that keeps every post, by the lane that its path begins with. */
export async function startReceiver(demo) {
  const postsOfLane = new Map()
  const counts = new Map()
  const server = createServer(
    { cert: readFileSync(demo.receiverCertFile), key: readFileSync(demo.receiverKeyFile) },
    (request, response) => {
      const chunks = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { pathname } = new URL(request.url, 'https://localhost')
        const [, lane, behaviour] = pathname.split('/')
        const key = `${pathname} ${request.headers['x-event-id']}`
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        const posts = postsOfLane.get(lane) ?? []
        postsOfLane.set(lane, posts)
        posts.push({
          path: pathname,
          atMs: performance.now(),
          headers: { ...request.headers },
          body: Buffer.concat(chunks).toString('utf8'),
        })
        const [status, headers = {}] = behaviours[behaviour](count)
        response.writeHead(status, headers).end('noted')
      })
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `https://localhost:${server.address().port}`,
    /** Takes the posts that came for a lane since it was asked last. */
    takePosts(lane) {
      const posts = postsOfLane.get(lane) ?? []
      postsOfLane.delete(lane)
      return posts
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
