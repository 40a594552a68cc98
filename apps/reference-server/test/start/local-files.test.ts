import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { readDemoFile } from '../../src/start/demo-file.js'
import { ensureLocalCertificates } from '../../src/start/local-certificates.js'
import { ensureInternalToken, loadKeyFile } from '../../src/start/local-files.js'
import { createLog } from '../../src/operations/log.js'
import { inspectDatabases } from '../../src/wiring/storage.js'
import { startServer } from '../../src/server.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-local-files-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const now = new Date()
const silent = createLog({ logLevel: 'silent' })
const place = (name: string) => join(dataDir, name)
const read = (name: string) => readFileSync(place(name), 'utf8')
const halve = (name: string) => truncateSync(place(name), Math.floor(statSync(place(name)).size / 2))
const keyFile = () => ({ keyFile: place('keys.json'), production: false })
const unused = () => Promise.resolve(false)

async function start(variables: Record<string, string> = {}) {
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  const server = await startServer(parseEnv({ ...ports, DATA_DIR: dataDir, ...variables }), silent)
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= server.stop('TEST_ENDED'))
  onTestFinished(stop)
  return { ...server, stop }
}

describe('of processes that start at once on an empty folder', () => {
  it('all have the same keys, token and certificates, and nothing is left of the others', async () => {
    const of = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, make))
    const keys = await of(() => loadKeyFile(keyFile(), silent, unused))
    expect(new Set(keys.map(({ activeSealKeyId }) => activeSealKeyId)).size).toBe(1)
    const tokens = await of(() => ensureInternalToken(dataDir))
    expect(new Set(tokens)).toEqual(new Set([read('internal-token')]))
    await of(() => ensureLocalCertificates(dataDir, now))
    const certificate = new X509Certificate(read('localhost.pem'))
    expect(certificate.verify(new X509Certificate(read('local-ca.pem')).publicKey)).toBe(true)
    expect(read('localhost-key.pem')).toContain(read('localhost.pem'))
    expect(readdirSync(dataDir).sort()).toEqual(
      ['internal-token', 'keys.json', 'local-ca.pem', 'localhost-key.pem', 'localhost.pem'].sort(),
    )
    for (const name of ['internal-token', 'keys.json', 'localhost-key.pem'])
      expect(statSync(place(name)).mode & 0o777).toBe(0o600)
  })

  it('each serves', async () => {
    const servers = await Promise.all(['api', 'secure', 'worker'].map((role) => start({ ROLE: role })))
    for (const server of servers) await server.stop()
  })
})

describe('a file of which a crash left nothing, or half', () => {
  const write = (text: string) => (name: string) => writeFileSync(place(name), text)
  const damages = [
    ['empty', (name: string) => truncateSync(place(name), 0)],
    ['half', halve],
    ['a byte short', (name: string) => truncateSync(place(name), statSync(place(name)).size - 2)],
    ['white space', write(' \n')],
  ] as const

  it.each([...damages, ['of other characters', write('Str0ng!Passw0rd#2024')] as const])(
    'internal-token, %s: is refused by name, and made anew when it is removed',
    async (_what, damage) => {
      await (await start()).stop()
      damage('internal-token')
      await expect(start()).rejects.toMatchObject({
        code: 'INTERNAL_TOKEN_INVALID',
        message: expect.stringMatching(/internal-token in DATA_DIR .*Remove it/) as string,
      })
      rmSync(place('internal-token'))
      await (await start()).stop()
      expect(read('internal-token')).toMatch(/^kyc_int_[\w-]{43}$/)
    },
  )

  it.each(damages)('keys.json, %s: is refused by name, and not changed', async (_what, damage) => {
    await (await start()).stop()
    damage('keys.json')
    const left = read('keys.json')
    await expect(start()).rejects.toMatchObject({
      code: 'KEY_FILE_INVALID',
      message: expect.stringMatching(/^KEY_FILE .*Restore your backup/) as string,
    })
    expect(read('keys.json')).toBe(left)
  })

  it.each(damages)('demo.json, %s: the demo is made anew', async (_what, damage) => {
    await (await start()).stop()
    damage('demo.json')
    await (await start()).stop()
    expect((await readDemoFile(dataDir))?.apps).toHaveLength(2)
  })

  it('demo.json of another database: the demo is made anew, once', async () => {
    await (await start()).stop()
    const ofFirst = (await readDemoFile(dataDir))?.apps
    const other = { DATABASE_URL: `file:${place('other.db')}` }
    await (await start(other)).stop()
    const ofOther = (await readDemoFile(dataDir))?.apps
    expect(ofOther).toHaveLength(2)
    expect(ofOther).not.toEqual(ofFirst)
    await (await start(other)).stop()
    expect((await readDemoFile(dataDir))?.apps).toEqual(ofOther)
  })

  const certificateFiles = ['localhost-key.pem', 'localhost.pem', 'local-ca.pem']
  it.each(damages.flatMap(([what, damage]) => certificateFiles.map((name) => [name, what, damage] as const)))(
    '%s, %s: the certificates belong together again',
    async (name, _what, damage) => {
      await ensureLocalCertificates(dataDir, now)
      damage(name)
      await ensureLocalCertificates(dataDir, now)
      const certificate = new X509Certificate(read('localhost.pem'))
      expect(certificate.verify(new X509Certificate(read('local-ca.pem')).publicKey)).toBe(true)
      expect(read('localhost-key.pem')).toContain(read('localhost.pem'))
      await (await start({ ROLE: 'secure' })).stop()
    },
  )

  it('a certificate that does not name HOST is made anew, once', async () => {
    await ensureLocalCertificates(dataDir, now)
    await ensureLocalCertificates(dataDir, now, '127.0.0.2')
    const made = read('localhost.pem')
    for (const address of ['127.0.0.1', '::1', '127.0.0.2'])
      expect([address, new X509Certificate(made).checkIP(address)]).toEqual([address, address])
    for (const host of ['127.0.0.2', 'localhost', '0.0.0.0']) await ensureLocalCertificates(dataDir, now, host)
    expect(read('localhost.pem')).toBe(made)
  })

  it.each(certificateFiles)(
    '%s of an earlier version, alone missing: the certificates belong together',
    async (name) => {
      await ensureLocalCertificates(dataDir, now)
      const [key = ''] = read('localhost-key.pem').split('-----BEGIN CERTIFICATE-----')
      writeFileSync(place('localhost-key.pem'), key)
      const kept = await ensureLocalCertificates(dataDir, now)
      expect(readFileSync(kept.privateKeyFile, 'utf8')).toBe(key)
      rmSync(place(name))
      await ensureLocalCertificates(dataDir, now)
      const certificate = new X509Certificate(read('localhost.pem'))
      expect(certificate.verify(new X509Certificate(read('local-ca.pem')).publicKey)).toBe(true)
    },
  )

  it.each([
    ['cert.pem', ''],
    ['key.pem', ''],
    ['cert.pem', null],
    ['key.pem', null],
  ])('%s of TLS_CERT_FILE and TLS_KEY_FILE, %j (null: cut off): is refused by name', async (name, content) => {
    await ensureLocalCertificates(dataDir, now)
    const [key = ''] = read('localhost-key.pem').split('-----BEGIN CERTIFICATE-----')
    writeFileSync(place('key.pem'), key)
    writeFileSync(place('cert.pem'), read('localhost.pem'))
    const given = { ROLE: 'secure', TLS_CERT_FILE: place('cert.pem'), TLS_KEY_FILE: place('key.pem') }
    await (await start(given)).stop()
    // The chain of two certificates loses the second half of its second one.
    writeFileSync(place(name), content ?? read(name).slice(0, Math.floor(read(name).length * 0.8)))
    await expect(start(given)).rejects.toMatchObject({ code: 'TLS_FILES_INVALID' })
  })

  it('says of a key with a password why it is refused', async () => {
    await ensureLocalCertificates(dataDir, now)
    const key = createPrivateKey(read('localhost-key.pem'))
    const sealed = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    writeFileSync(place('key.pem'), sealed)
    const given = { ROLE: 'secure', TLS_CERT_FILE: place('localhost.pem'), TLS_KEY_FILE: place('key.pem') }
    await expect(start(given)).rejects.toThrow(/the key has a password/)
  })

  it('leaves an unfinished file, which is removed an hour later', async () => {
    for (const name of ['keys.json', 'internal-token', 'localhost-key.pem']) {
      const left = place(`${name}.0198c0de.unfinished`)
      writeFileSync(left, 'half')
      utimesSync(left, new Date(now.getTime() - 3_700_000), new Date(now.getTime() - 3_700_000))
    }
    await loadKeyFile(keyFile(), silent, unused)
    await ensureInternalToken(dataDir)
    await ensureLocalCertificates(dataDir, now)
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.unfinished'))).toEqual([])
  })
})

describe('a file that cannot be read', () => {
  // A folder: root may read a file of any mode.
  const replaceByFolder = (name: string) => {
    rmSync(place(name))
    mkdirSync(place(name), { mode: 0o700 })
  }

  it.each([
    ['keys.json', /^KEY_FILE cannot be read/],
    ['internal-token', /^The file internal-token in DATA_DIR .*unreadable/],
    ['operator-token', /^The file operator-token in DATA_DIR .*unreadable/],
    ['localhost-key.pem', /^The file localhost-key\.pem in DATA_DIR cannot be read/],
  ])('%s: is refused by name', async (name, message) => {
    await (await start()).stop()
    replaceByFolder(name)
    await expect(start()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(message) as string,
    })
  })

  it.each(['TLS_CERT_FILE', 'TLS_KEY_FILE'])('%s: is refused by name', async (setting) => {
    await ensureLocalCertificates(dataDir, now)
    const given = { TLS_CERT_FILE: place('localhost.pem'), TLS_KEY_FILE: place('localhost-key.pem') }
    await expect(start({ ROLE: 'secure', ...given, [setting]: place('none.pem') })).rejects.toMatchObject({
      code: 'TLS_FILES_INVALID',
      message: expect.stringMatching(`^${setting} cannot be read`) as string,
    })
  })
})

describe('a folder that cannot be made', () => {
  it.each([
    ['DATA_DIR', '', ''],
    ['KEY_FILE', '', '/keys.json'],
    ['PHOTO_STORAGE', 'file:', '/photos'],
  ])('by %s: the error says what to do', async (setting, before, after) => {
    writeFileSync(place('file'), '')
    await expect(start({ [setting]: `${before}${place('file')}${after}` })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(`^${setting}.* cannot be created.* Set it to `) as string,
    })
  })
})

it('a start without room for photos opens no database', async () => {
  writeFileSync(place('file'), '')
  await expect(start({ PHOTO_STORAGE: `file:${place('file')}/photos` })).rejects.toMatchObject({ name: 'StartError' })
  expect(readdirSync(dataDir).filter((name) => name.includes('.db'))).toEqual([])
})

describe('a mistyped KEY_FILE beside used databases', () => {
  it.each([
    ['both', {}],
    ['a new vault', { VAULT_DATABASE_URL: 'other-vault.db' }],
    ['a new business database', { DATABASE_URL: 'other.db' }],
  ])('never makes new keys, with %s', async (_what, files: Record<string, string>) => {
    await (await start()).stop()
    const urls = Object.entries(files).map(([name, file]) => [name, `file:${place(file)}`])
    const mistyped = { KEY_FILE: place('kees.json'), ...Object.fromEntries(urls) }
    await expect(start(mistyped)).rejects.toMatchObject({
      code: 'KEY_FILE_MISSING',
      message: expect.stringMatching(
        /^KEY_FILE does not exist, but .* Correct KEY_FILE.* No new keys were created\.$/,
      ) as string,
    })
    expect(readdirSync(dataDir)).not.toContain('kees.json')
    await (await start()).stop()
  })

  it('makes keys beside databases that are only migrated', async () => {
    await (await start()).stop()
    const [stores, vault] = [new Database(place('kyc.db')), new Database(place('vault.db'))]
    stores.exec('PRAGMA foreign_keys = OFF; DELETE FROM kyc_relay_api_keys')
    vault.exec('DELETE FROM kyc_relay_vault_key_checks; DELETE FROM kyc_relay_vault_data_keys')
    stores.close()
    vault.close()
    const env = parseEnv({ DATA_DIR: dataDir })
    expect(await inspectDatabases(env)).toEqual({ needKeys: false })
  })
})

describe.skipIf(process.platform === 'win32')('a key file that others can read', () => {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) })

  it.each([0o640, 0o604, 0o660, 0o644, 0o444, 0o620])('with mode %o is refused in production', async (mode) => {
    await loadKeyFile(keyFile(), silent, unused)
    chmodSync(place('keys.json'), mode)
    await expect(loadKeyFile({ ...keyFile(), production: true }, log, unused)).rejects.toMatchObject({
      code: 'KEY_FILE_READABLE_BY_OTHERS',
      message: expect.stringContaining('chmod 600') as string,
    })
    lines.length = 0
    await loadKeyFile(keyFile(), log, unused)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, code: 'KEY_FILE_READABLE_BY_OTHERS' },
    ])
  })

  it.skipIf(process.getuid?.() !== 0)('as its owner is refused in production: chmod would not help', async () => {
    await loadKeyFile(keyFile(), silent, unused)
    chownSync(place('keys.json'), 1000, 1000)
    await expect(loadKeyFile({ ...keyFile(), production: true }, log, unused)).rejects.toMatchObject({
      code: 'KEY_FILE_READABLE_BY_OTHERS',
      message: expect.stringMatching(/another user.*chown/) as string,
    })
  })

  it.each([0o600, 0o400])('with mode %o is taken without a word', async (mode) => {
    await loadKeyFile(keyFile(), silent, unused)
    chmodSync(place('keys.json'), mode)
    lines.length = 0
    await loadKeyFile({ ...keyFile(), production: true }, log, unused)
    expect(lines).toEqual([])
  })
})
