import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { EnvError } from '../../src/env.js'
import { startFailureLine } from '../../src/start/start-failure.js'
import { StartError } from '../../src/start/start-error.js'

const at = new Date('2026-01-05T10:00:00.000Z')
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

it.each([
  [new EnvError(['PORT: a port']), 'ENV_INVALID', 'These settings are missing or malformed:\n  - PORT: a port'],
  [new StartError('KEY_FILE_MISSING', 'No key file.'), 'KEY_FILE_MISSING', 'No key file.'],
  [Object.assign(new Error('canary'), { code: 'EACCES' }), 'EACCES', 'The server could not start (EACCES).'],
  [new Error('canary'), 'UNEXPECTED', 'The server could not start (UNEXPECTED).'],
  ['canary', 'UNEXPECTED', 'The server could not start (UNEXPECTED).'],
])('%s is one line of JSON in production, and text elsewhere', (error, code, msg) => {
  const line = startFailureLine(error, { production: true, at })
  expect(line.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(line)).toEqual({ level: 50, time: '2026-01-05T10:00:00.000Z', code, msg })
  expect(startFailureLine(error, { production: false, at })).toBe(`${msg}\n`)
})

it.each([
  ['a setting that is missing', {}, 'ENV_INVALID'],
  [
    'no key file',
    { INTERNAL_TOKEN: 'x'.repeat(32), ROLE: 'worker', KEY_FILE: '/nowhere/keys.json' },
    'KEY_FILE_MISSING',
  ],
])('in production a start with %s prints one line of JSON', (_what, variables, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-start-failure-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production', DATA_DIR: folder, ...variables }
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  const ended = spawnSync(process.execPath, [main], { env: { ...env, ...ports }, encoding: 'utf8', timeout: 30_000 })
  expect(ended.status).toBe(1)
  const lines = `${ended.stdout}${ended.stderr}`.trim().split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as { code?: string; level: number })
  expect(parsed.at(-1)).toMatchObject({ level: 50, code })
})
