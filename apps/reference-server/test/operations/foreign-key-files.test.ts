import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addAuditKey, addSealKey } from '@kyc-relay/kyc-core/node'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { postgresDatabases, sqliteDatabases, startOn, testFolder, type Databases } from './restored-server.js'

vi.setConfig({ testTimeout: 120_000 })

interface KeyFileJson {
  activeSealKeyId: string
  activeFingerprintKeyId: string
  activeAuditKeyId?: string
  keys: { id: string; purpose: 'seal' | 'fingerprint' | 'audit'; key: string; createdAt: string }[]
}
const source = { randomBytes, now: new Date('2026-01-01T00:00:00Z') }
const texts = {
  seal: 'KEY_FILE does not hold the keys that sealed the vault (VAULT_DATABASE_URL).',
  fingerprint:
    'KEY_FILE does not hold the fingerprint key of the vault (VAULT_DATABASE_URL): replays would not be recognised.',
  audit: 'KEY_FILE lacks an audit key that sealed entries of the audit log.',
}

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

describe.each(['sqlite', 'postgres'] as const)('a key file, on %s,', (engine) => {
  let dataDir: string
  let databases: Databases
  let keyFile: string
  const start = () => startOn(dataDir, databases.urls)
  const write = (text: string) => writeFileSync(keyFile, text)

  /** Starts a server, lets it take a submission, and stops it. */
  async function use(user: number): Promise<void> {
    const server = await start()
    await server.submit(user, `with-keys-${user}`)
    await server.stop()
  }

  beforeEach(async () => {
    dataDir = testFolder()
    databases = engine === 'sqlite' ? sqliteDatabases(dataDir) : await postgresDatabases(postgres)
    keyFile = join(dataDir, 'keys.json')
  })

  it('of which any one key was replaced or is missing is refused by name, and the right one starts', async () => {
    await use(0)
    // Two of each that can be rotated, all of them in use.
    write(addSealKey(addAuditKey(readFileSync(keyFile, 'utf8'), source), source))
    await use(1)
    const right = readFileSync(keyFile, 'utf8')
    const { keys } = JSON.parse(right) as KeyFileJson
    expect(keys.map(({ purpose }) => purpose).sort()).toEqual(['audit', 'audit', 'fingerprint', 'seal', 'seal'])
    for (const { id, purpose } of keys) {
      const changed = (change: (key: KeyFileJson['keys'][number]) => object | null, rename = id) => {
        const file = JSON.parse(right) as KeyFileJson
        const changedKeys = file.keys.flatMap((key) => (key.id === id ? (change(key) ?? []) : key))
        const text = JSON.stringify({ ...file, keys: changedKeys })
        write(rename === id ? text : text.replaceAll(id, rename))
      }
      const refused = {
        code: 'KEY_FILE_WRONG',
        message: `${texts[purpose]} Put a removed key back, or restore the file from your backup.`,
      }
      // Other bytes under the same id.
      changed((key) => ({ ...key, key: randomBytes(32).toString('base64') }))
      await expect(start()).rejects.toMatchObject(refused)
      // A key of another installation in its place.
      changed((key) => ({ ...key, key: randomBytes(32).toString('base64') }), `${purpose}-0123456789abcdef`)
      const isRotatedOut = purpose === 'seal' && !(await wrappingKeyIds()).includes(id)
      if (!isRotatedOut) await expect(start()).rejects.toMatchObject({ code: 'KEY_FILE_WRONG' })
    }
    write(right)
    await use(2)
  })

  async function wrappingKeyIds(): Promise<string[]> {
    const rows = await databases.query<{ id: string }>('vault', 'SELECT key_id AS id FROM kyc_relay_vault_data_keys')
    return rows.map(({ id }) => id)
  }

  it('of another installation is refused, also before anything was submitted', async () => {
    await (await start()).stop()
    const right = readFileSync(keyFile, 'utf8')
    const stranger = testFolder()
    const other = await startOn(stranger, {})
    await other.stop()
    write(readFileSync(join(stranger, 'keys.json'), 'utf8'))
    await expect(start()).rejects.toMatchObject({ code: 'KEY_FILE_WRONG' })
    write(right)
    await (await start()).stop()
  })

  it('of which a seal key was rotated out starts', async () => {
    await use(0)
    await use(1)
    write(addSealKey(readFileSync(keyFile, 'utf8'), source))
    const rotating = await start()
    await rotating.awaitLine('data keys re-wrapped')
    await rotating.awaitLine('API keys re-wrapped')
    await rotating.stop()
    const file = JSON.parse(readFileSync(keyFile, 'utf8')) as KeyFileJson
    const kept = file.keys.filter(({ id, purpose }) => purpose !== 'seal' || id === file.activeSealKeyId)
    write(JSON.stringify({ ...file, keys: kept }))
    await use(2)
  })

  it('that is the right one starts a rotation beside a damaged data key, which is logged', async () => {
    await use(0)
    await databases.query(
      'vault',
      `UPDATE kyc_relay_vault_data_keys SET wrapped = ${engine === 'sqlite' ? `x'00'` : `'\\x00'::bytea`}`,
    )
    write(addSealKey(readFileSync(keyFile, 'utf8'), source))
    const rotating = await start()
    expect(await rotating.awaitLine('maintenance failed')).toMatchObject({
      job: 're-wrap data keys',
      code: 'SEAL_BROKEN',
    })
    await rotating.awaitLine('API keys re-wrapped')
    await rotating.stop()
  })
})
