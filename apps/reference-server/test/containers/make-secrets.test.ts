import { execFileSync, spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { parseKeyFile } from '@kyc-relay/kyc-core/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeSecretsScript } from './container-files.js'

const names = [
  '.gitignore',
  'database-owner-url',
  'database-url',
  'internal-token',
  'keys.json',
  'kyc-app-password',
  'kyc-password',
  'metrics-token',
  'postgres-password',
  'tls-key.pem',
  'tls.pem',
  'vault-app-password',
  'vault-database-owner-url',
  'vault-database-url',
  'vault-password',
]

let around: string
let folder: string
/** Tools that go before those of the system: forcing files to a busy disk takes seconds, and nothing crashes here. */
let tools: string
let env: Record<string, string>
/** A copy, because another user may not read the folder of the checkout. */
let script: string
beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), 'kyc-relay-secrets-'))
  folder = join(around, 'secrets')
  tools = join(around, 'tools')
  for (const path of [folder, tools]) mkdirSync(path)
  chmodSync(around, 0o755)
  writeFileSync(join(tools, 'sync'), '#!/bin/sh\n', { mode: 0o755 })
  script = join(around, 'make-secrets.sh')
  copyFileSync(makeSecretsScript, script)
  chmodSync(script, 0o755)
  env = { PATH: `${tools}:${process.env['PATH'] ?? ''}` }
})
afterEach(() => rmSync(around, { recursive: true, force: true }))

const run = (options: SpawnSyncOptions = {}) => {
  const { status, stdout, stderr } = spawnSync(script, [folder], { env, encoding: 'utf8', ...options })
  return { status, stdout: String(stdout), stderr: String(stderr) }
}
const succeeded = { status: 0, stdout: '', stderr: '' }

const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const modes = () => readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))
const contents = () => Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]))

/** Every secret is whole and fits the others. */
function expectWhole(): void {
  expect(readdirSync(folder).sort()).toEqual(names)
  expect(parseKeyFile(read('keys.json')).keys).toHaveLength(2)
  for (const [name, role, password, database] of [
    ['database-owner-url', 'kyc', 'kyc-password', 'kyc'],
    ['vault-database-owner-url', 'vault', 'vault-password', 'vault'],
    ['database-url', 'kyc_app', 'kyc-app-password', 'kyc'],
    ['vault-database-url', 'vault_app', 'vault-app-password', 'vault'],
  ] as const)
    expect(read(name).trim()).toBe(`postgres://${role}:${read(password).trim()}@postgres:5432/${database}`)
  createSecureContext({ cert: read('tls.pem'), key: read('tls-key.pem') })
  const random = names.filter((name) => name.endsWith('-password') || name.endsWith('-token')).map(read)
  expect(new Set(random).size).toBe(random.length)
  for (const secret of random) expect(secret).toMatch(/^[0-9a-f]{64}\n$/)
}

it.each([0o755, 0o777])('makes every file 0600 in a folder of mode %o', (mode) => {
  chmodSync(folder, mode)
  // With the true `sync`.
  const { status } = spawnSync('sh', ['-c', `umask 000; exec ${makeSecretsScript} ${folder}`])
  expect(status).toBe(0)
  expectWhole()
  expect(new Set(modes())).toEqual(new Set(['600']))
})

it('makes a folder that is missing for its owner alone', () => {
  const below = join(folder, 'a/b')
  expect(spawnSync('sh', ['-c', `umask 000; exec ${makeSecretsScript} ${below}`], { env }).status).toBe(0)
  expect((statSync(below).mode & 0o777).toString(8)).toBe('700')
})

it('never replaces a file, and closes those that an earlier version left open', () => {
  expect(run()).toEqual(succeeded)
  const before = contents()
  for (const name of names) chmodSync(join(folder, name), 0o644)
  writeFileSync(join(folder, 'of-somebody-else'), 'x', { mode: 0o644 })
  expect(run()).toEqual(succeeded)
  const { 'of-somebody-else': other, ...after } = contents()
  expect([after, other]).toEqual([before, 'x'])
  for (const name of names.filter((one) => one !== '.gitignore'))
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
  expect(statSync(join(folder, 'of-somebody-else')).mode & 0o777).toBe(0o644)
})

it('leaves no half file when openssl fails, and another run completes the rest', () => {
  const openssl = execFileSync('sh', ['-c', 'command -v openssl'], { encoding: 'utf8' }).trim()
  const count = join(tools, 'count')
  const failing = [
    '#!/bin/sh',
    `n=$(($(cat ${count}) + 1))`,
    `echo $n >${count}`,
    `if [ $n -eq "$FAIL_AT" ]; then printf part; exit 1; fi`,
    `exec ${openssl} "$@"`,
  ]
  writeFileSync(join(tools, 'openssl'), failing.join('\n'), { mode: 0o755 })
  const calls = 13
  // A password, the four parts of the key file, the private key, the certificate; and none.
  for (const failAt of [5, 8, 9, 10, 11, calls - 1, calls, calls + 1]) {
    rmSync(folder, { recursive: true })
    writeFileSync(count, '0')
    const { status } = run({ env: { ...env, FAIL_AT: String(failAt) } })
    expect([failAt, status]).toEqual([failAt, failAt <= calls ? 1 : 0])
    expect(readdirSync(folder).filter((name) => !names.includes(name))).toEqual([])
    for (const content of Object.values(contents())) expect(content).not.toContain('part')
    if (![9, 12].includes(failAt)) continue
    expect(run({ env: { ...env, FAIL_AT: '0' } })).toEqual(succeeded)
    expectWhole()
  }
})

it('of runs at once every file is whole, and they agree', async () => {
  const runs = [0, 1, 2].map(
    () => new Promise((resolve) => spawn(makeSecretsScript, [folder], { env, stdio: 'ignore' }).once('close', resolve)),
  )
  expect(await Promise.all(runs)).toEqual([0, 0, 0])
  expectWhole()
})

it.each(['keys.json', 'internal-token', 'database-url', 'tls-key.pem'])('refuses an empty %s by name', (name) => {
  writeFileSync(join(folder, name), '')
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining(`${name} is empty`) as string })
  expect(read(name)).toBe('')
})

it('refuses a certificate without its key, and a folder in the place of a file', () => {
  writeFileSync(join(folder, 'tls.pem'), 'a certificate of a public CA')
  expect(run().stderr).toContain('tls.pem is there without tls-key.pem')
  rmSync(join(folder, 'keys.json'))
  mkdirSync(join(folder, 'keys.json'))
  expect(run().stderr).toContain('keys.json is not a file')
})

it('leaves the file alone that a link leads to', () => {
  const certificate = join(around, 'public-ca.pem')
  writeFileSync(certificate, 'a certificate', { mode: 0o644 })
  writeFileSync(join(folder, 'tls-key.pem'), 'its key')
  symlinkSync(certificate, join(folder, 'tls.pem'))
  expect(run()).toEqual(succeeded)
  expect([statSync(certificate).mode & 0o777, read('tls.pem')]).toEqual([0o644, 'a certificate'])
})

const isRoot = process.getuid?.() === 0
if (!isRoot) process.stderr.write('\nNOT RUN: the owners of the secrets. Only root can give files away.\n\n')

it.runIf(isRoot)('as root gives the files to the user of the containers', () => {
  const owners = () => names.filter((name) => name !== '.gitignore').map((name) => statSync(join(folder, name)))
  expect(run()).toEqual(succeeded)
  for (const { uid, gid } of owners()) expect([uid, gid]).toEqual([1000, 1000])
  expect(run({ env: { ...env, KYC_RELAY_USER: '1234:1235' } })).toEqual(succeeded)
  for (const { uid, gid } of owners()) expect([uid, gid]).toEqual([1234, 1235])
})

it.runIf(isRoot)('as another user says which user the containers must be', () => {
  chmodSync(folder, 0o777)
  const stderr = expect.stringContaining('KYC_RELAY_USER=4321:4322') as string
  expect(run({ uid: 4321, gid: 4322 })).toEqual({ status: 0, stdout: '', stderr })
  expect(new Set(modes())).toEqual(new Set(['600']))
})
