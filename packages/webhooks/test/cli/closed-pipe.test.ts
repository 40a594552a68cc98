import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

const webhooks = fileURLToPath(new URL('../..', import.meta.url))

mkdirSync(join(webhooks, 'node_modules'), { recursive: true })
const folder = mkdtempSync(join(webhooks, 'node_modules/.compiled-'))
const program = join(folder, 'main.mjs')
buildSync({
  entryPoints: [join(webhooks, 'src/cli/main.ts')],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['zod'],
})
afterAll(() => rmSync(folder, { recursive: true }))
const env = { ...process.env, KYC_RELAY_API_KEY: 'a key' }

test('what cannot be written is a failure, as on a full disk', async () => {
  const unwritable = openSync(program, 'r')
  const child = spawn(process.execPath, [program, 'sign', program], { env, stdio: ['ignore', unwritable, 'ignore'] })
  expect((await once(child, 'exit'))[0]).toBe(1)
  closeSync(unwritable)
})

test('a command that follows the service ends when nobody reads on', async () => {
  let asked = 0
  const service = createServer((_, response) => {
    asked += 1
    const [id, createdAt] = [`00000000-0000-4000-8000-${String(asked).padStart(12, '0')}`, '2026-03-02T15:04:05.678Z']
    const delivery = { id, eventType: 'TRANSACTION_CREATE', status: 'PENDING', httpStatus: null, latencyMs: null }
    response.end(JSON.stringify({ items: [{ ...delivery, createdAt, url: 'https://a.example/' }], nextCursor: null }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  try {
    const child = spawn(process.execPath, [program, 'deliveries', 'tail', '--url', url], { env })
    const exit = once(child, 'exit')
    const said = text(child.stderr)
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect([(await exit)[0], await said]).toEqual([0, ''])
  } finally {
    service.closeAllConnections()
    service.close()
  }
})

describe('Ctrl+C ends at once', () => {
  /** Returns the signal that ended the command. */
  async function interrupted(child: ChildProcess): Promise<unknown> {
    onTestFinished(() => void child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    const [, signal] = (await exit) as [number | null, string | null]
    return signal
  }

  test.each([
    ['sign', ['sign']],
    ['verify', ['verify', '--signature', 'x']],
    ['profile add', ['profile', 'add', 'mine', '--url', 'https://api.example/']],
  ])('%s, which reads standard input', async (_, args) => {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', 'ignore', 'ignore'] })
    // More than a pipe holds: once it is taken, the command reads.
    await new Promise((resolve) => child.stdin.write(Buffer.alloc(1 << 20), resolve))
    expect(await interrupted(child)).toBe('SIGINT')
  })

  test('trigger, which waits for an answer', async () => {
    const receiver = createServer().listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    try {
      const asked = once(receiver, 'request')
      const child = spawn(process.execPath, [program, 'trigger', 'TRANSACTION_CREATE', '--url', url], { env })
      await asked
      expect(await interrupted(child)).toBe('SIGINT')
    } finally {
      receiver.closeAllConnections()
      receiver.close()
    }
  })
})
