import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { checkDriver, driverMayAbort, installedDriverVersion } from '../../src/start/sqlite-driver.js'
import { startServer } from '../../src/server.js'
import { startServerProcess } from '../processes/server-process.js'

describe('a Node that checks what its SQLite driver does', () => {
  it.each([
    ['v20.20.2', '12.11.1', false],
    ['v22.23.3', '12.11.1', false],
    ['v23.11.0', '12.11.1', false],
    ['v24.21.0', '12.11.1', true],
    ['v24.21.0', '11.10.0', true],
    ['v24.21.0', '13.2.0', false],
    ['v26.10.0', '12.11.1', true],
    ['v26.10.0', '14.0.0', false],
  ])('%s with better-sqlite3 %s may abort: %s', (node, driver, expected) => {
    expect(driverMayAbort(node, driver)).toBe(expected)
  })

  it.each([
    ['v20.20.2', '12.11.1', false],
    ['v20.20.2', '13.2.0', true],
    ['v21.7.3', '14.0.0', true],
    ['v22.0.0', '13.2.0', false],
    ['v24.21.0', '12.11.1', false],
    ['v20.20.2', null, false],
  ])('%s with better-sqlite3 %s is refused before it ends the process: %s', (node, driver, expected) => {
    const check = () => checkDriver(node, driver)
    if (expected) expect(check).toThrow(expect.objectContaining({ code: 'DRIVER_UNUSABLE' }))
    else expect(check).not.toThrow()
  })

  it('is told of by the installed version', () => {
    expect(installedDriverVersion()).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it.each(['v20.20.2', 'v24.21.0'])('is warned of at the start: %s', async (nodeVersion) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-driver-'))
    const lines: string[] = []
    const log = createLog({ logLevel: 'warn' }, { write: (line) => void lines.push(line) })
    const env = parseEnv({ PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir })
    const server = await startServer(env, log, () => undefined, nodeVersion)
    await server.stop('test')
    rmSync(dataDir, { recursive: true })
    const warned = lines.some((line) => line.includes('npm install --no-save better-sqlite3@13'))
    expect(warned).toBe(driverMayAbort(nodeVersion, installedDriverVersion() ?? '0'))
  })
})

describe('a driver that was installed with another Node', () => {
  it.each([
    ['driver-of-another-node.cjs', 'The installed better-sqlite3 does not load in this Node.'],
    ['driver-of-newer-node.cjs', 'The installed better-sqlite3 needs Node 22 or newer.'],
  ])('refuses the start with its reason and what to do: %s', async (preload, reason) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-driver-'))
    const path = fileURLToPath(new URL(preload, import.meta.url))
    const refusal = await startServerProcess(dataDir, { NODE_OPTIONS: `--require ${path}` }).catch(String)
    rmSync(dataDir, { recursive: true })
    expect(refusal).toContain(reason)
    expect(refusal).toContain('npm ci')
  })
})
