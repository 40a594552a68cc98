// Why: the first process of a container gets only signals that it listens to. A command without a listener ignores Ctrl-C.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { expect, onTestFinished, test } from 'vitest'

const commands = {
  'audit.js verify': [new URL('../../dist/audit.js', import.meta.url), 'verify'],
  'kyc-relay-migrate up': [
    new URL('../../../../packages/storage-drizzle/bin/kyc-relay-migrate.js', import.meta.url),
    'up',
  ],
} as const

test.each(
  (['audit.js verify', 'kyc-relay-migrate up'] as const).flatMap((name) => [
    { name, signal: 'SIGINT', code: 130 } as const,
    { name, signal: 'SIGTERM', code: 143 } as const,
  ]),
)('$name listens to $signal while PostgreSQL does not answer', async ({ name, signal, code }) => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-ended-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const keyFile = join(folder, 'keys.json')
  writeFileSync(keyFile, createKeyFile({ randomBytes, now: new Date() }), { mode: 0o600 })
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const connected = once(silent, 'connection')
  onTestFinished(async () => {
    const [socket] = (await connected) as [{ destroy(): void }]
    socket.destroy()
    silent.close()
  })
  const [program, argument] = commands[name]
  const url = `postgres://kyc@127.0.0.1:${(silent.address() as AddressInfo).port}/kyc`
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: url,
    VAULT_DATABASE_URL: url,
    KEY_FILE: keyFile,
    DATA_DIR: folder,
  }
  const child = spawn(process.execPath, [fileURLToPath(program), argument], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await connected
  child.kill(signal)
  expect(await ended).toEqual([code, null])
})
