import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that Linux (32768), macOS and Windows (49152) give to outgoing connections: one of those could take
// the port before the server of the test listens, or while it restarts.
const [firstPort, lastPort] = [20_000, 29_999]

/** Returns a port of the loopback address that nobody listens at, for a server that has to be told its port. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(firstPort, lastPort + 1)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error('no free port')
}
