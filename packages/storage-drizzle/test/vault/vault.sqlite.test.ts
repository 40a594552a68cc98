import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import type { StoredVault } from '../../src/internal/index.js'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSqliteVault } from '../../src/sqlite/index.js'

const owner = { appId: '0192f000-0000-7000-8000-00000000000a', userId: '0192f000-0000-7000-8000-0000000000b1' }
const ssn = { kind: 'ssn', value: '078-05-1120' } as const
const passport = {
  kind: 'document_number',
  value: 'X-1234567',
  documentClass: 'PASSPORT',
  issuingCountryCode: 'CA',
} as const
const details = { kind: 'record', recordId: 'r1', part: 'details', value: '{"firstName":"Testa"}' } as const
const why = { owner, actor: 'ops@example.com', purpose: 'case 1' }

describe('the SQLite vault', () => {
  let folder: string
  let vault: StoredVault
  let cipher: ReturnType<typeof createLocalCipher>
  const keyFile = createKeyFile({ randomBytes, now: new Date() })

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kyc-vault-'))
    cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
    vault = await createSqliteVault({ path: join(folder, 'vault.db') }, { cipher })
  })

  afterEach(async () => {
    await vault.close()
    rmSync(folder, { recursive: true })
  })

  test('keeps bodies of owners apart whose ids join to the same text', async () => {
    const owners = [
      { appId: 'a b', userId: 'c' },
      { appId: 'a', userId: 'b c' },
    ]
    const places = owners.map((one, index) => ({ ...one, part: 'event' as const, recordId: String(index) }))
    const clear = Buffer.from('{}')
    const sealed = await vault.bodySealer.seal(places.map((place) => ({ ...place, clear })))
    const opened = await vault.bodySealer.open(places.map((place, n) => ({ ...place, sealed: sealed[n]! })))
    expect(opened.map((body) => Buffer.from(body!).toString())).toEqual(['{}', '{}'])
  })

  test('tokenizes, reveals and opens', async () => {
    const [a, b, c] = await vault.tokenize(owner, [ssn, passport, details])
    if (a?.kind !== 'ssn' || b?.kind !== 'document_number' || c?.kind !== 'record') throw new Error('order')
    expect(a.token).toMatch(/^tok_ssn_[0-9A-Za-z]{34}_1120$/)
    expect(await vault.reveal({ ...why, token: a.token })).toBe(ssn.value)
    await expect(vault.reveal({ ...why, token: b.token })).rejects.toMatchObject({ code: 'NOT_REVEALABLE' })
    expect(await vault.openRecord({ ...why, recordId: 'r1', part: 'details', sealed: c.sealed })).toBe(details.value)
    const other = vault.openRecord({ ...why, recordId: 'r2', part: 'details', sealed: c.sealed })
    await expect(other).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })

  test('a damaged data key holds up the re-wrapping of no other key, and is told in the end', async () => {
    const users = ['b1', 'b2', 'b3'].map((end) => ({ ...owner, userId: owner.userId.replace(/b1$/, end) }))
    for (const user of users) await vault.tokenize(user, [ssn])
    await vault.close()
    const database = new Database(join(folder, 'vault.db'))
    const first = '(SELECT min(position) FROM kyc_relay_vault_data_keys)'
    database.exec(`UPDATE kyc_relay_vault_data_keys SET wrapped = zeroblob(length(wrapped)) WHERE position = ${first}`)
    database.close()
    const newer = parseKeyFile(addSealKey(keyFile, { randomBytes, now: new Date() }))
    vault = await createSqliteVault({ path: join(folder, 'vault.db') }, { cipher: createLocalCipher({ keys: newer }) })
    expect(await vault.rewrapDataKeys({ limit: 10 })).toEqual({ rewrapped: 2, remaining: 1 })
    await expect(vault.rewrapDataKeys({ limit: 10 })).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })

  test('no file under the folder holds a clear value', async () => {
    await vault.tokenize(owner, [ssn, passport, details])
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file)).toString('latin1')
      for (const clear of ['078-05-1120', '078051120', 'X-1234567', 'X1234567', 'Testa']) {
        expect(bytes.includes(clear), file).toBe(false)
      }
    }
  })

  test('an erased owner is gone, and may come back under a new key', async () => {
    const [a, c] = await vault.tokenize(owner, [ssn, details])
    if (a?.kind !== 'ssn' || c?.kind !== 'record') throw new Error('order')
    expect(await vault.eraseOwner(owner)).toBe(1)
    expect(await vault.eraseOwner(owner)).toBe(0)
    await expect(vault.reveal({ ...why, token: a.token })).rejects.toMatchObject({ code: 'TOKEN_UNKNOWN' })
    await vault.tokenize(owner, [ssn])
    const reopened = vault.openRecord({ ...why, recordId: 'r1', part: 'details', sealed: c.sealed })
    await expect(reopened).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })

  test('an erasure, and a lost race for the first data key, drop the key from the cipher', async () => {
    const created = vi.spyOn(cipher, 'createDataKey')
    const evicted = vi.spyOn(cipher, 'evictDataKey')
    await Promise.all([vault.tokenize(owner, [ssn]), vault.tokenize(owner, [ssn])])
    const keys = await Promise.all(created.mock.results.map(({ value }) => value))
    expect(keys).toHaveLength(2)
    expect(evicted).toHaveBeenCalledTimes(1)
    await vault.eraseOwner(owner)
    expect(new Set(evicted.mock.calls.flat())).toEqual(new Set(keys))
    expect(evicted).toHaveBeenCalledTimes(2)
  })
})
