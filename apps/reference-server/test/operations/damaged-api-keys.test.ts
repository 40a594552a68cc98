import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addSealKey, createLocalAuditSeal, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createApiKeys } from '../../src/identity/api-keys.js'
import { sealApiKey, wrappingKeyIdOf } from '../../src/identity/sealed-api-key.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { openStorage } from '../../src/wiring/storage.js'
import { rewrapApiKeys } from '../../src/operations/maintenance/rewrap-api-keys.js'

const now = () => new Date('2026-01-01T00:00:00Z')
const whole = '11111111-0000-7000-8000-000000000000'
const damaged = '00000000-0000-7000-8000-000000000000'
const warning = { msg: 'an API key is damaged: revoke it and issue a new one', appId: damaged, keyVersion: 1 }

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-damaged-keys-'))
  return () => rmSync(dataDir, { recursive: true, force: true })
})

async function startHere() {
  const lines: Record<string, unknown>[] = []
  const env = parseEnv({ PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir })
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const server = await startServer(env, createLog({ logLevel: 'warn' }, { write }))
  onTestFinished(() => server.stop('TEST'))
  const token = readFileSync(join(dataDir, 'internal-token'), 'utf8').trim()
  const internal = (method: string, path: string) =>
    fetch(`http://127.0.0.1:${server.ports.internal}/internal/v1/apps/${damaged}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'The row is damaged.' }),
    })
  return { stop: () => server.stop('TEST'), internal, lines }
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
  await (await startHere()).stop()
  const { apiKeys, directory, close } = await openHere()
  await apiKeys.createApp({ appId: damaged, name: 'Example' })
  const { apiKey } = await apiKeys.createApp({ appId: whole, name: 'Example' })
  damage(sealed)
  const rotated = addSealKey(readFileSync(join(dataDir, 'keys.json'), 'utf8'), { randomBytes, now: now() })
  const cipher = createLocalCipher({ keys: parseKeyFile(rotated) })
  await expect(rewrapApiKeys({ directory, cipher, now })).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  expect((await directory.listApiKeys([whole], now())).map(wrappingKeyIdOf)).toEqual([await cipher.currentKeyId()])
  expect(await createApiKeys({ directory, cipher, now }).current([whole])).toEqual([
    { appId: whole, key: apiKey, version: 1 },
  ])
  await close()
})

describe.each(damages)('an API key of which is stored: %s', (_name, sealed) => {
  it('is named at the start, the keys of others open, and the operator replaces it', async () => {
    await (await startHere()).stop()
    const { apiKeys, directory, cipher, close } = await openHere()
    await apiKeys.createApp({ appId: damaged, name: 'Example' })
    const { apiKey } = await apiKeys.createApp({ appId: whole, name: 'Example' })
    expect(await apiKeys.findDamaged(new Set())).toEqual([])
    damage(sealed)

    expect(await apiKeys.findDamaged(new Set())).toMatchObject([{ appId: damaged, version: 1 }])
    await expect(apiKeys.current([damaged])).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
    expect(await apiKeys.current([whole])).toEqual([{ appId: whole, key: apiKey, version: 1 }])
    const lines: unknown[] = []
    const log = { warn: (message: string, fields?: object) => void lines.push({ message, ...fields }) }
    await expect(rewrapApiKeys({ directory, cipher, now, log })).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
    expect(lines).toEqual([{ message: warning.msg, appId: damaged, keyVersion: 1 }])

    const server = await startHere()
    expect(server.lines).toContainEqual(expect.objectContaining(warning))
    expect((await server.internal('DELETE', 'keys/1')).status).toBe(204)
    const issued = await server.internal('POST', 'keys')
    expect(issued.status).toBe(201)
    const key = (await issued.json()) as { apiKey: string }
    expect(await createApiKeys({ directory, cipher, now: () => new Date() }).current([damaged])).toEqual([
      { appId: damaged, key: key.apiKey, version: 2 },
    ])
    await close()
    await server.stop()
    expect((await startHere()).lines).not.toContainEqual(expect.objectContaining({ msg: warning.msg }))
  })
})

it('the only key under a wrapping key that does not open is damaged if the wrapping key is the right one', async () => {
  await (await startHere()).stop()
  const { apiKeys, cipher, close } = await openHere()
  await apiKeys.createApp({ appId: damaged, name: 'Example' })
  const database = new Database(join(dataDir, 'kyc.db'))
  database.prepare('DELETE FROM kyc_relay_api_keys WHERE app_id <> ?').run(damaged)
  const { sealed } = database.prepare('SELECT sealed FROM kyc_relay_api_keys').get() as { sealed: Buffer }
  database.close()
  damage(await sealApiKey(cipher, { appId: whole, version: 1 }, 'moved from another app'))
  const keyId = await cipher.currentKeyId()
  expect(wrappingKeyIdOf({ sealed })).toBe(keyId)
  expect(await apiKeys.findDamaged(new Set([keyId]))).toHaveLength(1)
  await expect(apiKeys.findDamaged(new Set())).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  await close()
  expect((await startHere()).lines).toContainEqual(expect.objectContaining(warning))
})
