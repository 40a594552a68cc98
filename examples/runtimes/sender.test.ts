import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createNodeWebhookHandler } from '@kyc-relay/webhooks/node'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuthority, type KeyPairPem } from '../../packages/webhooks/test/https/local/certificates.js'
import { startRawTlsServer, type RawTlsServer } from '../../packages/webhooks/test/https/local/raw-tls-server.js'
import type { SenderCheck } from './check-sender.js'
import { programs } from './programs.js'

const run = promisify(execFile)
const scratch = mkdtempSync(join(tmpdir(), 'kyc-relay-sender-'))
const apiKey = 'kyc_key_example_only'
const entry = (name: string) => fileURLToPath(new URL(`../../packages/webhooks/src/${name}/index.ts`, import.meta.url))

const verified: string[] = []
const receive = createNodeWebhookHandler({ secrets: apiKey, onEvent: ({ type }) => void verified.push(type) })
const receiver = createServer((request, response) => void receive(request, response))
const servers: Record<string, RawTlsServer> = {}
let check: SenderCheck

beforeAll(async () => {
  writeFileSync(join(scratch, 'package.json'), '{ "type": "module" }')
  await build({
    stdin: {
      contents: `import { checkSender } from './check-sender.js'
        console.log(JSON.stringify(await checkSender(JSON.parse(process.argv[2]))))`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias: Object.fromEntries(
      ['delivery', 'https', 'testing'].map((name) => [`@kyc-relay/webhooks/${name}`, entry(name)]),
    ),
    outfile: join(scratch, 'send.js'),
    logLevel: 'error',
  })

  await once(receiver.listen(0, 'localhost'), 'listening')
  const authority = await createTestAuthority()
  const stranger = await createTestAuthority()
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  const serve = async (name: string, certificate: KeyPairPem) => {
    servers[name] = await startRawTlsServer(certificate, (socket) => socket.end(answer))
  }
  await serve('trusted', await authority.issue())
  await serve('another name', await authority.issue({ names: ['partner.com'] }))
  await serve('expired', await authority.issue({ notAfter: new Date(Date.now() - 60_000) }))
  await serve('another authority', await stranger.issue())
  check = {
    receiver: `http://localhost:${(receiver.address() as AddressInfo).port}/`,
    apiKey,
    caPem: authority.caPem,
    servers: Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url])),
  }
})

afterAll(async () => {
  receiver.close()
  await Promise.all(Object.values(servers).map((server) => server.close()))
  rmSync(scratch, { recursive: true })
})

describe('createWebhooks sends', () => {
  test.each([
    ['Node', programs.Node, []],
    ['Bun', programs.Bun, ['run']],
    ['Deno', programs.Deno, ['run', '--no-prompt', '--allow-all']],
  ])('on %s: a verified delivery, and nothing to a server with a wrong certificate', async (_name, program, args) => {
    verified.length = 0
    for (const { requests } of Object.values(servers)) requests.length = 0
    const env = { ...process.env, NO_COLOR: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    // A sender that hangs ends here, and the test with it.
    const limits = { cwd: scratch, env, timeout: 45_000 }
    const { stdout } = await run(program(), [...args, 'send.js', JSON.stringify(check)], limits)

    const refused = { cause: 'TLS_FAILED', status: null }
    expect(JSON.parse(stdout)).toEqual({
      delivery: { status: 'QUEUED', cause: null },
      attempts: {
        trusted: { cause: null, status: 200 },
        'another name': refused,
        expired: refused,
        'another authority': refused,
      },
    })
    expect(verified).toEqual(['WIDGET_DEPOSIT_COMPLETE'])
    expect(Object.values(servers).map(({ requests }) => requests.length)).toEqual([1, 0, 0, 0])
  })
})
