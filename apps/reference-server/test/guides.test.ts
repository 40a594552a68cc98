import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseEnv } from '../src/env.js'
import { createLog } from '../src/operations/log.js'
import { startServer } from '../src/server.js'
import { startReceiver, type LocalReceiver } from './local-receiver.js'
import { audience, createServerKey, startOauthServer, type OauthServer } from './identity/oauth-server.js'
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

/** Text of a guide. */
const pageOf = (name: string) => readFileSync(new URL(`../../../docs/guides/${name}.md`, import.meta.url), 'utf8')

/** Code blocks of a text in their order, as one program. */
function codeOf(text: string, language: string): string {
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
  return blocks.flatMap(([, given, block = '']) => (given === language ? [block] : [])).join('\n')
}

/** Shell commands of “Your first app in production” before the token, and from there on with one way to a token. */
function firstApp(way: 'From your OAuth server' | 'From the embedded store') {
  const [before = '', token = '', ...after] = pageOf('first-app').split(/^## [45] .*$/m)
  const [chosen] = token.split(/^### /m).filter((part) => part.startsWith(way))
  return { before: codeOf(before, 'sh'), rest: codeOf([chosen, ...after].join('\n'), 'sh') }
}

/** Runs a program with the addresses and tokens of this server. It stops at the first command that fails. */
async function run(program: string, parameters: readonly string[], variables: Record<string, string> = {}) {
  const { demo } = server
  const env = {
    PATH: process.env['PATH'],
    CURL_CA_BUNDLE: demo.caFile,
    NODE_EXTRA_CA_CERTS: demo.caFile,
    INTERNAL_URL: demo.internalUrl,
    API_URL: demo.apiUrl,
    SECURE_URL: demo.secureUrl,
    INTERNAL_TOKEN: demo.internalToken,
    RECEIVER_URL: receiver.url('/first'),
    ...variables,
  }
  const child = spawn(program, [...parameters], { cwd: folder, env })
  let output = ''
  child.stdout.on('data', (text: Buffer) => (output += text.toString('utf8')))
  child.stderr.on('data', (text: Buffer) => (output += text.toString('utf8')))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, output }
}

const runShell = (program: string, variables: Record<string, string> = {}) =>
  run('bash', ['-euo', 'pipefail', '-c', program], variables)

it('every command of “Your first app in production” works, in order', async () => {
  const { before, rest } = firstApp('From the embedded store')
  const { code, output } = await runShell(`${before}\n${rest}`)
  expect([code, output]).toEqual([0, expect.stringContaining('VERIFIED')])
  expect(output).toContain('"kycStatus":"PASS"')
  expect(output).toContain('customer-1042')
  expect(output).toContain('on its way')
  const [request] = await receiver.arrived('/first', 1)
  expect(request?.body).toContain('WIDGET_KYC_INITIATION')
})

describe('in production mode', () => {
  let oauth: OauthServer
  let production: Awaited<ReturnType<typeof startServer>>
  let dataDir: string
  let variables: Record<string, string>
  const dispatcher = getGlobalDispatcher()
  beforeAll(async () => {
    const { receiverCertFile, receiverKeyFile } = server.demo
    const tls = { cert: readFileSync(receiverCertFile), key: readFileSync(receiverKeyFile) }
    // Production accepts an issuer over HTTPS only, so this process trusts the local CA meanwhile.
    setGlobalDispatcher(new Agent({ connect: { ca: server.ca } }))
    oauth = await startOauthServer([await createServerKey('rsa-1')], tls)
    dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-production-'))
    // A folder that was used outside production before has the token of the local operator.
    copyFileSync(join(server.dataDir, 'operator-token'), join(dataDir, 'operator-token'))
    const keyFile = join(dataDir, 'keys.json')
    writeFileSync(keyFile, createKeyFile({ randomBytes, now: new Date() }), { mode: 0o600 })
    const internalToken = randomBytes(32).toString('hex')
    const env = parseEnv({
      NODE_ENV: 'production',
      PORT: '0',
      INTERNAL_PORT: '0',
      SECURE_PORT: '0',
      DATA_DIR: dataDir,
      KEY_FILE: keyFile,
      INTERNAL_TOKEN: internalToken,
      TLS_CERT_FILE: receiverCertFile,
      TLS_KEY_FILE: receiverKeyFile,
      OAUTH_ISSUER: oauth.issuer,
      OAUTH_AUDIENCE: audience,
    })
    production = await startServer(env, createLog({ logLevel: 'silent' }, { write: () => undefined }))
    const { api, internal, secure } = production.ports
    variables = {
      INTERNAL_URL: `http://127.0.0.1:${internal}`,
      API_URL: `http://127.0.0.1:${api}`,
      SECURE_URL: `https://localhost:${secure}`,
      INTERNAL_TOKEN: internalToken,
      // Public names only: no receiver of a test can have one, so nothing is delivered here.
      RECEIVER_URL: 'https://receiver.example.com/webhooks',
    }
  })
  afterAll(async () => {
    await production.stop('TEST_ENDED')
    await oauth.close()
    await getGlobalDispatcher().close()
    setGlobalDispatcher(dispatcher)
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('the token of the local operator of development opens nothing', async () => {
    const token = readFileSync(join(dataDir, 'operator-token'), 'utf8').trim()
    const statusAt = async (url = '') => (await server.call(`${url}/internal/v1/apps`, { token })).status
    expect(await statusAt(server.demo.internalUrl)).toBe(200)
    expect(await statusAt(variables['INTERNAL_URL'])).toBe(401)
  })

  it('every command works with a token of the embedded store', async () => {
    const { before, rest } = firstApp('From the embedded store')
    const { code, output } = await runShell(`${before}\n${rest}`, variables)
    expect([code, output]).toEqual([0, expect.stringContaining('"kycStatus":"PASS"')])
    expect(output).toContain('on its way')
  })

  it('every command works with a token of an OAuth server', async () => {
    const { before, rest } = firstApp('From your OAuth server')
    const made = await runShell(`${before}\necho; echo "ids $APP_ID $USER_ID $API_KEY"`, variables)
    const [, APP_ID = '', USER_ID = '', API_KEY = ''] = /^ids (\S+) (\S+) (\S+)$/m.exec(made.output) ?? []
    expect(made).toMatchObject({ code: 0 })
    oauth.addClient(APP_ID)
    const known = { ...variables, APP_ID, USER_ID, API_KEY }
    const without = await runShell(rest, known)
    expect([without.code, without.output]).toEqual([1, expect.stringContaining('ACCESS_TOKEN: is a token')])
    const ACCESS_TOKEN = await oauth.authorize({ client: APP_ID, login: USER_ID, scope: 'VERIFY_KYC' })
    const { code, output } = await runShell(rest, { ...known, ACCESS_TOKEN })
    expect([code, output]).toEqual([0, expect.stringContaining('"kycStatus":"PASS"')])
    expect(output).toContain('on its way')
  })
})

it('every command of “Submit a KYC result” works, with curl and in JavaScript', async () => {
  const ACCESS_TOKEN = server.demo.users[0]?.accessToken ?? ''
  const sent = await runShell(codeOf(pageOf('submit-a-kyc-result'), 'sh'), { ACCESS_TOKEN })
  expect([sent.code, sent.output]).toEqual([0, expect.stringContaining('"status":"VERIFIED"')])
  writeFileSync(join(folder, 'submit.mjs'), codeOf(pageOf('submit-a-kyc-result'), 'js'))
  const again = await run(process.execPath, ['submit.mjs'], { ACCESS_TOKEN })
  expect([again.code, again.output]).toEqual([0, expect.stringContaining('ALREADY_VERIFIED')])
})
