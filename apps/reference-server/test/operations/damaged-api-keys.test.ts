import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addSealKey, createLocalAuditSeal, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createApiKeys } from '../../src/identity/api-keys.js'
import { wrappingKeyIdOf } from '../../src/identity/sealed-api-key.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { openStorage } from '../../src/wiring/storage.js'
import { rewrapApiKeys } from '../../src/operations/maintenance/rewrap-api-keys.js'

const now = () => new Date('2026-01-01T00:00:00Z')
const whole = '11111111-0000-7000-8000-000000000000'
const damaged = '00000000-0000-7000-8000-000000000000'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-damaged-keys-'))
  return () => rmSync(dataDir, { recursive: true, force: true })
})

function startHere() {
  const env = parseEnv({ PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir })
  return startServer(env, createLog({ logLevel: 'error' }, { write: () => undefined }))
}

/** The API keys in the database of a server that was here before. */
async function openHere() {
  const keys = parseKeyFile(readFileSync(join(dataDir, 'keys.json'), 'utf8'))
  const cipher = createLocalCipher({ keys })
  const urls = { databaseUrl: `file:${dataDir}/kyc.db`, vaultDatabaseUrl: `file:${dataDir}/vault.db` }
  const storage = await openStorage(urls, { cipher, audit: createLocalAuditSeal({ keys }) }, () => undefined)
  onTestFinished(() => storage.close())
  const deps = { directory: storage.apps, cipher, now }
  return { ...deps, apiKeys: createApiKeys(deps), close: () => storage.close() }
}

function damage(sealed: Uint8Array) {
  const database = new Database(join(dataDir, 'kyc.db'))
  database.prepare('UPDATE kyc_relay_api_keys SET sealed = ? WHERE app_id = ?').run(sealed, damaged)
  database.close()
}

const damages = [
  ['nothing', Buffer.alloc(0)],
  ['a zero byte', Buffer.alloc(1)],
  ['bytes that are no text', Buffer.alloc(200, 0xff)],
  ['no object', Buffer.from('null')],
  ['an object without its fields', Buffer.from('{}')],
  ['a field of another type', Buffer.from('{"keyId":"canary","dataKey":7,"sealed":""}')],
  ['half of it', Buffer.from('{"keyId":"canary","data')],
] as const

it.each(damages)('a rotation re-wraps the keys after one of which is stored: %s', async (_name, sealed) => {
  await (await startHere()).stop('TEST')
  const { apiKeys, directory, close } = await openHere()
  await apiKeys.createApp({ appId: damaged, name: 'Example' })
  const { apiKey } = await apiKeys.createApp({ appId: whole, name: 'Example' })
  damage(sealed)
  const rotated = addSealKey(readFileSync(join(dataDir, 'keys.json'), 'utf8'), { randomBytes, now: now() })
  const cipher = createLocalCipher({ keys: parseKeyFile(rotated) })
  const remaining: number[] = []
  const rewrapping = rewrapApiKeys({ directory, cipher, now }, (step) => void remaining.push(step.remaining))
  await expect(rewrapping).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  expect(remaining).toEqual([1])
  expect((await directory.listApiKeys([whole], now())).map(wrappingKeyIdOf)).toEqual([await cipher.currentKeyId()])
  expect(await createApiKeys({ directory, cipher, now }).current([whole])).toEqual([
    { appId: whole, key: apiKey, version: 1 },
  ])
  await close()
})

describe.each(damages)('an API key of which is stored: %s', (_name, sealed) => {
  it('refuses the start with a fixed text, and the keys of others open', async () => {
    await (await startHere()).stop('TEST')
    const { apiKeys, directory, cipher, close } = await openHere()
    await apiKeys.createApp({ appId: damaged, name: 'Example' })
    const { apiKey } = await apiKeys.createApp({ appId: whole, name: 'Example' })
    expect(await apiKeys.canOpenAll()).toBe(true)
    damage(sealed)

    expect(await apiKeys.canOpenAll()).toBe(false)
    await expect(apiKeys.current([damaged])).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
    expect(await apiKeys.current([whole])).toEqual([{ appId: whole, key: apiKey, version: 1 }])
    await expect(rewrapApiKeys({ directory, cipher, now })).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
    await close()
    await expect(startHere()).rejects.toMatchObject({
      code: 'KEY_FILE_WRONG',
      message:
        'KEY_FILE does not hold the keys that sealed the API keys of apps (DATABASE_URL), or an API key is damaged.',
    })
  })
})
