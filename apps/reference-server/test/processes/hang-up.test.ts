// Why: SIGHUP ended the server at once, also under nohup: Node resets the signals that its parent ignores.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { startServerProcess } from './server-process.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-hang-up-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

async function start(variables: Record<string, string> = {}) {
  const server = await startServerProcess(join(folder, 'data'), variables)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

it('a server without a terminal, as under nohup, serves on after SIGHUP', async () => {
  const server = await start()
  server.process.kill('SIGHUP')
  expect((await fetch(`${server.demo.apiUrl}/healthz`)).status).toBe(200)
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(server.output()).toContain('"signal":"SIGTERM"')
})

it('a server in a terminal that closes stops in order, also when it is told twice', async () => {
  const preload = join(folder, 'terminal.cjs')
  const asTerminal = "require('node:tty').isatty = (descriptor) => descriptor === 0"
  writeFileSync(preload, `${asTerminal}\nrequire('node:module').syncBuiltinESMExports()\n`)
  const server = await start({ NODE_OPTIONS: `--require ${preload}` })
  const ended = new Promise((resolve) => server.process.once('close', (code, signal) => resolve({ code, signal })))
  server.process.kill('SIGHUP')
  server.process.kill('SIGHUP')
  expect(await ended).toEqual({ code: 0, signal: null })
})
