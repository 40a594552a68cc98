import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('./check-advisories.mjs', import.meta.url))

/** Runs the check in a project with one dependency, against a registry of this test. Null: nobody listens there. */
async function check(answer: RequestListener | null): Promise<{ code: number | null; output: string }> {
  const server = createServer(answer ?? undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  if (answer === null) await close()
  const folder = mkdtempSync(path.join(tmpdir(), 'kyc-relay-advisories-'))
  onTestFinished(async () => {
    if (answer !== null) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const project = { name: 'project', version: '1.0.0', dependencies: { leaky: '1.0.0' } }
  const leaky = { version: '1.0.0', resolved: `http://127.0.0.1:${port}/leaky-1.0.0.tgz` }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(project))
  writeFileSync(
    path.join(folder, 'package-lock.json'),
    JSON.stringify({ ...project, lockfileVersion: 3, packages: { '': project, 'node_modules/leaky': leaky } }),
  )
  const child = spawn(process.execPath, [script], {
    cwd: folder,
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: path.join(folder, 'cache'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

const advisory = (severity: string) => ({
  leaky: [
    { id: 1, url: 'https://advisories.example/1', title: 'leaks', severity, vulnerable_versions: '<2.0.0', cwe: [] },
  ],
})
const registry =
  (advisories: unknown): RequestListener =>
  (request, response) => {
    request.resume()
    if (request.method === 'POST') response.writeHead(200).end(JSON.stringify(advisories))
    else response.writeHead(200).end(JSON.stringify({ name: 'leaky', versions: { '1.0.0': {} } }))
  }

test.each(['moderate', 'high', 'critical'])('an advisory of level %s fails the check', async (level) => {
  const { code, output } = await check(registry(advisory(level)))
  expect([code, output]).toEqual([1, expect.stringContaining(`${level}: leaky`)])
})

test.each([
  ['none', {}],
  ['one of level low', advisory('low')],
])('%s passes without a word', async (_what, advisories) => {
  expect(await check(registry(advisories))).toEqual({ code: 0, output: '' })
})

test.each<[string, RequestListener | null]>([
  ['a registry without advisories', (request, response) => void (request.resume(), response.writeHead(405).end())],
  ['a registry that answers something else', (request, response) => void (request.resume(), response.end('<html>'))],
  ['nobody', null],
])('%s passes and says that nobody was asked', async (_what, answer) => {
  const { code, output } = await check(answer)
  expect([code, output]).toEqual([0, expect.stringMatching(/^NOT CHECKED: /)])
})
