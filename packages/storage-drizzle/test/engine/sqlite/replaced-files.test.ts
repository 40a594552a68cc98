import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSqliteStorage, createSqliteVault, type StorageError } from '../../../src/sqlite/index.js'
import { auditKeyFile } from '../../audit/audit-samples.js'
import { submission, uuid } from '../../samples.js'
import { testFolder } from './sqlite-files.js'

const recording = (name: string) => submission(name, { key: { userId: uuid(`user ${name}`) } })

beforeEach(() => {
  let nowMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_001))
})
afterEach(() => {
  vi.restoreAllMocks()
})

const replacements: readonly (readonly [string, (path: string) => void])[] = [
  ['the file is removed', (path) => rmSync(path)],
  ['the WAL is removed', (path) => rmSync(`${path}-wal`)],
  ['all files are removed', (path) => ['', '-wal', '-shm'].forEach((end) => rmSync(`${path}${end}`))],
  [
    'the file is replaced by a copy',
    (path) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  ],
  [
    'the WAL is replaced by a copy',
    (path) => {
      copyFileSync(`${path}-wal`, `${path}.copy`)
      renameSync(`${path}.copy`, `${path}-wal`)
    },
  ],
]

describe('files that are replaced while they are open', () => {
  test.each(replacements)('%s: the next write is refused, and so is everything after it', async (_what, replace) => {
    const path = join(testFolder(), 'kyc.db')
    const failures: StorageError[] = []
    const storage = await createSqliteStorage({ path }, { onFailure: (error) => void failures.push(error) })
    await storage.verifications.record(recording('one'))
    replace(path)
    const refused = { code: 'FILES_REPLACED', retryable: false }
    await expect(storage.verifications.record(recording('two'))).rejects.toMatchObject(refused)
    await expect(storage.verifications.record(recording('three'))).rejects.toMatchObject(refused)
    expect(failures).toMatchObject([refused])
    await storage.close()
  })

  test('a vault notices as well', async () => {
    const path = join(testFolder(), 'vault.db')
    const failures: StorageError[] = []
    const cipher = createLocalCipher({ keys: parseKeyFile(auditKeyFile) })
    const onFailure = (error: StorageError) => void failures.push(error)
    const vault = await createSqliteVault({ path }, { cipher, onFailure })
    const tokenize = (user: string) =>
      vault.tokenize({ appId: uuid('app'), userId: uuid(user) }, [{ kind: 'ssn', value: '078-05-1120' }])
    await tokenize('one')
    rmSync(path)
    await expect(tokenize('two')).rejects.toMatchObject({ code: 'VAULT_UNAVAILABLE' })
    expect(failures).toMatchObject([{ code: 'FILES_REPLACED' }])
    await vault.close()
  })

  test('two stores on one file, of which one closes, replace nothing', async () => {
    const path = join(testFolder(), 'kyc.db')
    const failures: StorageError[] = []
    const onFailure = (error: StorageError) => void failures.push(error)
    const first = await createSqliteStorage({ path }, { onFailure })
    const second = await createSqliteStorage({ path }, { onFailure })
    onTestFinished(() => first.close())
    await first.verifications.record(recording('one'))
    await second.verifications.record(recording('two'))
    await second.close()
    expect(existsSync(`${path}-wal`)).toBe(true)
    expect(await first.verifications.record(recording('three'))).toMatchObject({ kind: 'recorded' })
    expect(failures).toEqual([])
  })
})
