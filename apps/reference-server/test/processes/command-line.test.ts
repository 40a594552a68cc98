import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { startServerProcess, type ServerProcess } from './server-process.js'

// A server and a command line, each a process: a busy machine takes seconds for each.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const cli = fileURLToPath(new URL('../../../../packages/webhooks/dist/cli/main.js', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-command-line-'))
let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess(dataDir)
})
afterAll(async () => {
  await server.end('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

/** What `npx kyc-webhooks …` runs, with the lines it prints as they come. */
function kycWebhooks(...args: string[]) {
  const child = spawn(process.execPath, [cli, ...args], { env: { PATH: process.env['PATH'] } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exit = once(child, 'exit') as Promise<[number | null]>
  return {
    async nextLine(): Promise<string> {
      const { value, done } = await lines.next()
      if (done) throw new Error('it printed nothing more')
      return value
    },
    async exitCode() {
      return (await exit)[0]
    },
    interrupt: () => child.kill('SIGINT'),
  }
}

async function post(url: string, token: string | undefined, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token ?? ''}` }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.text()
  return response.status
}

it('listen receives what the server delivers, fails on demand, and sees the retry as a duplicate', async () => {
  const { demo } = server
  const [app] = demo.apps
  const listen = kycWebhooks('listen', '--data-dir', dataDir, '--port', '0', '--respond', '500,200', '--json')
  const { listening } = JSON.parse(await listen.nextLine()) as { listening: string }
  expect(listening).toMatch(/^https:\/\/localhost:\d+\/$/)

  expect(await post(`${demo.apiUrl}/api/v1/webhooks`, app?.apiKey, { url: `${listening}webhooks` })).toBe(201)
  const event = { appId: app?.appId, userId: demo.users[0]?.userId, eventType: 'WIDGET_KYC_INITIATION', data: {} }
  expect(await post(`${demo.internalUrl}/internal/v1/events`, demo.internalToken, event)).toBe(202)

  const [first, second] = [JSON.parse(await listen.nextLine()), JSON.parse(await listen.nextLine())]
  expect(first).toMatchObject({ verified: true, type: 'WIDGET_KYC_INITIATION', answered: 500, duplicate: false })
  expect(second).toMatchObject({ verified: true, eventId: first.eventId, answered: 200, duplicate: true })

  listen.interrupt()
  expect(await listen.exitCode()).toBe(0)
})

it('trigger, sign and verify work with the keys of the server that was started', async () => {
  const listen = kycWebhooks('listen', '--data-dir', dataDir, '--port', '0', '--count', '1')
  const [url = ''] = /https:\/\/localhost:\d+\//.exec(await listen.nextLine()) ?? []
  const trigger = kycWebhooks('trigger', 'WIDGET_DEPOSIT_COMPLETE', '--url', url, '--data-dir', dataDir)
  expect(await trigger.nextLine()).toMatch(/^WIDGET_DEPOSIT_COMPLETE [\w-]{36} 200 \{"received":true\}$/)
  expect(await trigger.exitCode()).toBe(0)
  expect(await listen.nextLine()).toMatch(/ verified WIDGET_DEPOSIT_COMPLETE [\w-]{36} answered 200$/)
  expect(await listen.exitCode()).toBe(0)

  const file = join(dataDir, 'demo.json')
  const run = (...args: string[]) => spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' })
  const signature = run('sign', file, '--data-dir', dataDir).stdout.trim()
  expect(run('verify', file, '--signature', signature, '--data-dir', dataDir).status).toBe(0)
  const wrong = run('verify', file, '--signature', signature.toUpperCase(), '--data-dir', dataDir)
  expect(wrong).toMatchObject({ status: 1, stdout: expect.stringContaining('SIGNATURE_UPPER_CASE') as string })
})

it('the guide that the server prints names the address where listen listens', async () => {
  const defaultPort = /default (\d+); 0 takes a free one/.exec(
    spawnSync(process.execPath, [cli, 'listen', '--help'], { encoding: 'utf8' }).stdout,
  )?.[1]
  await expect.poll(() => server.output()).toContain(`kyc-webhooks listen --data-dir '${dataDir}'`)
  expect(server.output()).toContain(`{"url":"https://localhost:${defaultPort}/webhooks"}`)
  expect(readFileSync(join(dataDir, 'demo.json'), 'utf8')).toContain('receiverCertFile')
})

it.each([
  [['--help'], 0, 'stdout'],
  [['-h'], 0, 'stdout'],
  [['--port', '5000'], 64, 'stderr'],
  [['--help', '--port=5000'], 64, 'stderr'],
  [['start'], 64, 'stderr'],
] as const)('the server given %j starts nothing and says where its settings are', (args, status, stream) => {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-arguments-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
  }
  const ended = spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8', timeout: 30_000 })
  expect(ended.status).toBe(status)
  expect(ended[stream]).toContain('.env.example')
  expect(readdirSync(folder)).toEqual([])
})
