import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServerProcess } from './server-process.js'

/** Sends the process a signal in the moment in which it writes the line that says that it has started. */
const signalWithTheLine = `
const fs = require('node:fs')
for (const name of ['write', 'writeSync']) {
  const write = fs[name]
  fs[name] = function (descriptor, data, ...rest) {
    if (String(data).includes('"msg":"started"')) process.kill(process.pid, 'SIGTERM')
    return write.call(this, descriptor, data, ...rest)
  }
}
const { write } = process.stdout
process.stdout.write = function (data, ...rest) {
  if (String(data).includes('"msg":"started"')) process.kill(process.pid, 'SIGTERM')
  return write.call(this, data, ...rest)
}
`

it('a server that says it has started hears the next signal and stops in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-signal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const preload = join(folder, 'signal.cjs')
  writeFileSync(preload, signalWithTheLine)
  const server = await startServerProcess(join(folder, 'data'), { NODE_OPTIONS: `--require ${preload}` })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const ended = new Promise((resolve) => server.process.once('close', (code, signal) => resolve({ code, signal })))
  expect(await ended).toEqual({ code: 0, signal: null })
})
