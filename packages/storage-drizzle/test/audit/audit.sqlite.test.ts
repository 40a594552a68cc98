import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import {
  addAuditKey,
  addSealKey,
  createLocalAuditSeal,
  createLocalCipher,
  parseKeyFile,
} from '@kyc-relay/kyc-core/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAuditChain } from '../../src/audit/chain.sqlite.js'
import { createAuditLog } from '../../src/audit/log.sqlite.js'
import { createSqliteStorage, createSqliteVault, openSqliteAuditLog } from '../../src/sqlite/index.js'
import { createGroupCommit } from '../../src/engine/sqlite/group-commit.js'
import {
  expectEndpointAndSignInEntries,
  expectGrantEntries,
  expectNoEndpointOrSignInWithoutEntry,
  expectNoGrantWithoutEntry,
} from './access-entries.js'
import { expectChangedColumnsAreFound, expectRemovedRowsAreFound } from './access-columns.js'
import { expectChangedAccessIsFound } from './access-tampering.js'
import { expectKeyRotationEntries } from './api-key-entries.js'
import { auditKeyFile, auditSeal, inOrder, verify } from './audit-samples.js'
import { newestStatusTamperingCases, recordSome, tamperingCases, type TamperedStores } from './tampering-cases.js'
import { exerciseVault, vaultTamperingCases } from './vault-tampering-cases.js'
import { startOfTests, submission, uuid } from '../samples.js'
import { dumpRowsOf, testFolder } from '../engine/sqlite/sqlite-files.js'

async function openStores() {
  const path = join(testFolder(), 'kyc.db')
  const open = () => createSqliteStorage({ path }, { audit: auditSeal, clock: () => startOfTests })
  let storage = await open()
  onTestFinished(() => storage.close())
  const audit = () => {
    if (storage.audit === null) throw new Error('no log')
    return storage.audit
  }
  const stores: TamperedStores = {
    get verifications() {
      return storage.verifications
    },
    get users() {
      return storage.users
    },
    get userRetention() {
      return storage.userRetention
    },
    get audit() {
      return audit()
    },
    chain: 0,
    at: (sequence) => `sequence = ${sequence}`,
    sql(text) {
      const database = new Database(path)
      database.pragma('foreign_keys = OFF')
      database.exec(text)
      database.close()
      return Promise.resolve()
    },
    async copy() {
      await storage.close()
      copyFileSync(path, `${path}.copy`)
      storage = await open()
      return async () => {
        await storage.close()
        copyFileSync(`${path}.copy`, path)
        // As an operator has to, or the file would be refused for the commits that it lacks.
        rmSync(`${path}.commits`)
        storage = await open()
      }
    },
  }
  return { path, stores, open }
}

describe('the audit log of the stores on SQLite', () => {
  test('gives no finding when nothing was tampered with, erasure and restart included', async () => {
    const { path, stores, open } = await openStores()
    for (let index = 0; index < 40; index++) {
      const key = { userId: uuid(`user ${index % 7}`) }
      await stores.verifications.record(submission(`n${index}`, { key }))
      await stores.verifications.record(submission(`n${index}`, { key }))
    }
    const second = await open()
    await second.users.eraseUser({
      appId: uuid('app'),
      userId: uuid('user 3'),
      actor: { name: 'operator:Ada', reason: 'asked' },
    })
    await second.verifications.record(submission('last'))
    await second.close()
    const before = dumpRowsOf(path)
    const log = await openSqliteAuditLog({ path }, { log: 'stores', seal: auditSeal })
    const { findings, report } = await verify(log)
    await log.close()
    expect(findings).toEqual([])
    expect(report).toMatchObject({ startedAtMs: startOfTests.getTime(), entries: 43, findings: 0 })
    expect(dumpRowsOf(path)).toBe(before)
  })

  test('gives no finding when a user is erased after the last entry was read, and before its row was', async () => {
    const { stores } = await openStores()
    await stores.verifications.record(submission('n1'))
    const { audit } = stores
    const erased = { appId: uuid('app'), userId: uuid('user'), actor: { name: 'operator:Ada', reason: 'asked' } }
    let recorded = 1
    const log: typeof audit = {
      ...audit,
      async findRecorded(subjects) {
        await stores.users.eraseUser(erased)
        await stores.userRetention.finishErasure({ userId: erased.userId, erasureId: 'one' })
        // The user comes back, and is erased again if these rows are read too.
        await stores.verifications.record(submission(`n${(recorded += 1)}`))
        return audit.findRecorded(subjects)
      },
    }
    expect((await verify(log)).findings).toEqual([])
    expect(recorded).toBe(2)
  })

  test('gives no finding when an erasure removes a closure before it is compared', async () => {
    const { stores, open } = await openStores()
    const userId = uuid('user')
    const { userRetention, close } = await open()
    await userRetention.close({ userId, closedAt: startOfTests })
    const { audit } = stores
    const log: typeof audit = {
      ...audit,
      async listAccess(page) {
        await userRetention.startErasure({ userId, erasureId: 'one' })
        await userRetention.finishErasure({ userId, erasureId: 'one' })
        return audit.listAccess!(page)
      },
    }
    expect((await verify(log)).findings).toEqual([])
    await close()
  })

  test('has an entry for each change of an API key', async () => {
    const storage = await createSqliteStorage({ path: join(testFolder(), 'kyc.db') }, { audit: auditSeal })
    await expectKeyRotationEntries(storage.apps, storage.audit!, 1)
    await storage.close()
  })

  test('has an entry for each change of a grant and each access token', async () => {
    const storage = await createSqliteStorage({ path: join(testFolder(), 'kyc.db') }, { audit: auditSeal })
    await expectGrantEntries(storage.apps, storage.audit!)
    await storage.close()
  })

  test('has an entry for each endpoint registered or removed and each sign-in', async () => {
    const storage = await createSqliteStorage({ path: join(testFolder(), 'kyc.db') }, { audit: auditSeal })
    await expectEndpointAndSignInEntries(storage, storage.audit!)
    await storage.close()
  })

  test('finds keys, tokens, grants and endpoints that SQL changed', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path }, { audit: auditSeal })
    await expectChangedAccessIsFound(storage, storage.audit!, async (text) => {
      const other = new Database(path)
      other.pragma('foreign_keys = OFF')
      other.exec(text)
      other.close()
    })
    await storage.close()
  })

  test('finds a change of any column of apps, keys, grants, tokens, endpoints, corrections, holds and closures', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path }, { audit: auditSeal })
    const other = new Database(path)
    other.pragma('foreign_keys = OFF')
    await expectChangedColumnsAreFound(storage, storage.audit!, {
      sql: async (text) => void other.exec(text),
      listColumns: async (table) =>
        other
          .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
          .all(table)
          .map(({ name }) => name),
      later: (column, milliseconds) => `${column} + ${milliseconds}`,
    })
    other.close()
    await storage.close()
  })

  test('finds revocations, holds and closures that SQL removed', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path }, { audit: auditSeal })
    await expectRemovedRowsAreFound(storage, storage.audit!, async (text) => {
      const other = new Database(path)
      other.exec(text)
      other.close()
    })
    await storage.close()
  })

  test('no endpoint and no sign-in is written without its entry', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path }, { audit: auditSeal })
    await expectNoEndpointOrSignInWithoutEntry(storage, async () => {
      const other = new Database(path)
      other.exec('DELETE FROM kyc_relay_audit_entries')
      other.close()
    })
    await storage.close()
  })

  test('no grant is written without its entry', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path }, { audit: auditSeal })
    await expectNoGrantWithoutEntry(storage.apps, async () => {
      const other = new Database(path)
      other.exec('DELETE FROM kyc_relay_audit_entries')
      other.close()
    })
    await storage.close()
  })

  test('rows from before the log are left out, and only those', async () => {
    const path = join(testFolder(), 'kyc.db')
    const without = await createSqliteStorage({ path })
    await recordSome(without.verifications)
    await without.close()
    const storage = await createSqliteStorage({ path }, { audit: auditSeal })
    await storage.verifications.record(submission('seen'))
    expect((await verify(storage.audit!)).findings).toEqual([])
    await storage.close()
    const again = await createSqliteStorage({ path })
    await again.verifications.record(submission('unseen'))
    await again.close()
    const log = await openSqliteAuditLog({ path }, { log: 'stores', seal: auditSeal })
    expect((await verify(log)).findings).toMatchObject([
      { code: 'ROW_WITHOUT_ENTRY', subject: uuid('verification unseen') },
    ])
    await log.close()
  })

  test.each([...tamperingCases, ...newestStatusTamperingCases])('finds that $name', async ({ run, findings }) => {
    const { stores } = await openStores()
    const found = await run(stores)
    expect(inOrder(found)).toMatchObject(inOrder(findings(stores)))
    expect(found).toHaveLength(findings(stores).length)
  })

  test('refuses to record when the log is gone, and writes nothing', async () => {
    const { path, stores } = await openStores()
    await stores.sql('DELETE FROM kyc_relay_audit_entries')
    const before = dumpRowsOf(path)
    await expect(stores.verifications.record(submission('one'))).rejects.toMatchObject({ code: 'AUDIT_INCOMPLETE' })
    expect(dumpRowsOf(path)).toBe(before)
  })
})

test('an entry that was undone within a shared commit is not built on', async () => {
  const path = join(testFolder(), 'kyc.db')
  await (await createSqliteStorage({ path }, { audit: auditSeal })).close()
  const client = new Database(path)
  const commits = createGroupCommit(client)
  const chain = openAuditChain(client, 'stores', { seal: auditSeal, commits, now: () => startOfTests })
  const append = (subject: string) =>
    chain.append({ kind: 'USER_ERASED', atMs: 1, appId: 'a', userId: 'u', subject, contentDigest: '0'.repeat(64) })
  const undone = commits.write(() => {
    append('2')
    throw new Error('undone')
  })
  const kept = [commits.write(() => append('1')), undone.catch(() => 'undone'), commits.write(() => append('3'))]
  expect(await Promise.all(kept)).toEqual([undefined, 'undone', undefined])
  expect((await verify(createAuditLog(client, 'stores', auditSeal))).findings).toEqual([])
  client.close()
})

describe('the audit log of the vault on SQLite', () => {
  const open = (path: string, keys = auditKeyFile) =>
    createSqliteVault(
      { path },
      {
        cipher: createLocalCipher({ keys: parseKeyFile(keys) }),
        audit: createLocalAuditSeal({ keys: parseKeyFile(keys) }),
      },
    )

  test('goes on over reveals, erasures and rotated keys', async () => {
    const path = join(testFolder(), 'vault.db')
    const keys = addSealKey(auditKeyFile, { randomBytes, now: startOfTests })
    const vault = await open(path)
    const made = await exerciseVault(vault, () => open(path, keys))
    const { findings, report } = await verify(vault.audit!)
    expect(findings).toEqual([])
    expect(report.entries).toBe(1 + made)
    expect(made).toBe(10)
    await vault.close()
  })

  test('goes on under another audit key, and what the former one sealed is checked with it', async () => {
    const path = join(testFolder(), 'vault.db')
    const former = JSON.parse(auditKeyFile) as { activeAuditKeyId?: string; keys: { purpose: string }[] }
    delete former.activeAuditKeyId
    former.keys = former.keys.filter(({ purpose }) => purpose !== 'audit')
    const derived = JSON.stringify(former)
    const first = await open(path, derived)
    await exerciseVault(first, () => open(path, derived))
    await first.close()
    const keys = addAuditKey(derived, { randomBytes, now: startOfTests })
    const second = await open(path, keys)
    await exerciseVault(second, () => open(path, keys))
    const seal = createLocalAuditSeal({ keys: parseKeyFile(keys) })
    expect((await verify(second.audit!, { seal })).findings).toEqual([])
    const before = createLocalAuditSeal({ keys: parseKeyFile(derived) })
    expect((await verify(second.audit!, { seal: before })).findings[0]).toMatchObject({ code: 'ENTRY_KEY_UNKNOWN' })
    await second.close()
  })

  test.each(vaultTamperingCases)('finds that $name', async ({ sql, findings }) => {
    const path = join(testFolder(), 'vault.db')
    const vault = await open(path)
    await exerciseVault(vault, () => open(path))
    const database = new Database(path)
    database.exec(sql)
    database.close()
    const found = (await verify(vault.audit!)).findings
    expect(found).toMatchObject(findings)
    expect(found).toHaveLength(findings.length)
    await vault.close()
  })
})
