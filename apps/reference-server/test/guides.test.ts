import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseEnv } from '../src/env.js'
import { createLog } from '../src/operations/log.js'
import { startServer } from '../src/server.js'
import { startReceiver, type LocalReceiver } from './local-receiver.js'
import { startTestServer, type RunningTestServer } from './running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-guides-'))
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Code blocks of a page in their order. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(new URL(`../../../docs/guides/${page}.md`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, given, block = '']) =>
    given === language ? [block] : [],
  )
}

/** Runs a program with the addresses and tokens of this server. It stops at the first command that fails. */
async function run(program: string, parameters: readonly string[], variables: Record<string, string> = {}) {
  const { demo } = server
  const env = {
    ...{ PATH: process.env['PATH'], CURL_CA_BUNDLE: demo.caFile, NODE_EXTRA_CA_CERTS: demo.caFile },
    ...{ INTERNAL_URL: demo.internalUrl, API_URL: demo.apiUrl, SECURE_URL: demo.secureUrl },
    ...{ INTERNAL_TOKEN: demo.internalToken, RECEIVER_URL: receiver.url('/first') },
    ...variables,
  }
  const child = spawn(program, [...parameters], { cwd: folder, env })
  let output = ''
  child.stdout.on('data', (text: Buffer) => (output += text.toString('utf8')))
  child.stderr.on('data', (text: Buffer) => (output += text.toString('utf8')))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, output }
}

it('every command of “Your first app in production” works, in order', { timeout: 60_000 }, async () => {
  const blocks = blocksOf('first-app', 'sh')
  expect(blocks.length).toBeGreaterThanOrEqual(8)
  const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')])
  expect([code, output]).toEqual([0, expect.stringContaining('VERIFIED')])
  expect(output).toContain('"kycStatus":"PASS"')
  expect(output).toContain('customer-1042')
  expect(output).toContain('on its way')
  const [request] = await receiver.arrived('/first', 1)
  expect(request?.body).toContain('WIDGET_KYC_INITIATION')
})

it('every command of “Your first app in production” works in production mode', { timeout: 60_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-production-'))
  const keyFile = join(dataDir, 'keys.json')
  writeFileSync(keyFile, createKeyFile({ randomBytes, now: new Date() }), { mode: 0o600 })
  const internalToken = randomBytes(32).toString('hex')
  const env = parseEnv({
    ...{ NODE_ENV: 'production', PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir },
    ...{ KEY_FILE: keyFile, INTERNAL_TOKEN: internalToken },
    ...{ TLS_CERT_FILE: server.demo.receiverCertFile, TLS_KEY_FILE: server.demo.receiverKeyFile },
  })
  const production = await startServer(env, createLog({ logLevel: 'silent' }, { write: () => undefined }))
  try {
    const { api, internal, secure } = production.ports
    const commands = ['-euo', 'pipefail', '-c', blocksOf('first-app', 'sh').join('\n')]
    const { code, output } = await run('bash', commands, {
      ...{ INTERNAL_URL: `http://127.0.0.1:${internal}`, API_URL: `http://127.0.0.1:${api}` },
      ...{ SECURE_URL: `https://localhost:${secure}`, INTERNAL_TOKEN: internalToken },
      // Public names only: no receiver of a test can have one, so nothing is delivered here.
      RECEIVER_URL: 'https://receiver.example.com/webhooks',
    })
    expect([code, output]).toEqual([0, expect.stringContaining('"kycStatus":"PASS"')])
    expect(output).toContain('on its way')
  } finally {
    await production.stop('TEST_ENDED')
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it('every command of “Submit a KYC result” works, with curl and in JavaScript', { timeout: 60_000 }, async () => {
  const ACCESS_TOKEN = server.demo.users[0]?.accessToken ?? ''
  const sent = await run('bash', ['-euo', 'pipefail', '-c', blocksOf('submit-a-kyc-result', 'sh').join('\n')], {
    ACCESS_TOKEN,
  })
  expect([sent.code, sent.output]).toEqual([0, expect.stringContaining('"status":"VERIFIED"')])
  writeFileSync(join(folder, 'submit.mjs'), blocksOf('submit-a-kyc-result', 'js').join('\n'))
  const again = await run(process.execPath, ['submit.mjs'], { ACCESS_TOKEN })
  expect([again.code, again.output]).toEqual([0, expect.stringContaining('ALREADY_VERIFIED')])
})
