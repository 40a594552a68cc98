import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished, test, expect, vi } from 'vitest'
import { sendRequest } from '../../src/cli/send-request.js'
import { createTestAuthority } from '../https/local/certificates.js'

const known = await vi.hoisted(async () => {
  const { createTestAuthority: create } = await import('../https/local/certificates.js')
  return create()
})
vi.mock('node:tls', async (load) => ({ ...(await load<object>()), rootCertificates: [known.caPem] }))

test('an authority of the user is trusted in addition to the public ones', async () => {
  const own = await createTestAuthority('CN=own')
  for (const authority of [known, own]) {
    const { certPem: cert, keyPem: key } = await authority.issue({ names: ['localhost'] })
    const server = createServer({ cert, key }, (request, response) => void response.writeHead(204).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/`)
    const sent = sendRequest({ url, headers: {}, body: new Uint8Array(), ca: own.caPem, timeoutMs: 30_000 })
    expect(await sent).toMatchObject({ status: 204 })
  }
})
