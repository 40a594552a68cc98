import { randomBytes } from 'node:crypto'
import { addSealKey, createLocalAuditSeal, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createPostgresStorage,
  createPostgresVault,
  openPostgresAuditLog,
  type PostgresStorage,
} from '../../src/postgres/index.js'
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
import {
  keyTamperingCases,
  recordSome,
  statusRowTamperingCases,
  tamperingCases,
  type TamperedStores,
} from './tampering-cases.js'
import { exerciseVault, vaultTamperingCases } from './vault-tampering-cases.js'
import { createAuditLog } from '../../src/audit/log.postgres.js'
import { createDatabase, type PostgresDatabase } from '../../src/engine/postgres/database.js'
import { startOfTests, submission, uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
let connectionString: string
let pool: pg.Pool

const cipher = createLocalCipher({ keys: parseKeyFile(auditKeyFile) })

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
  pool = new pg.Pool({ connectionString, max: 20 })
  await (await createPostgresStorage({ pool })).close()
  await (await createPostgresVault({ pool }, { cipher })).close()
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})
beforeEach(() => emptyTables(pool))

const database: PostgresDatabase = {
  run: (work) => createDatabase(pool).run(work),
  transaction: (work) => createDatabase(pool).transaction(work),
}
const open = () =>
  createPostgresStorage({ pool }, { audit: auditSeal, clock: () => startOfTests, migrations: 'require', notify: false })
const openVault = () => createPostgresVault({ pool }, { cipher, audit: auditSeal, migrations: 'require' })
const readLog = (log: 'stores' | 'vault') => openPostgresAuditLog({ connectionString }, { log, seal: auditSeal })

/** The tables of the stores that a copy of the database holds. */
const copied = ['submission_keys', 'verifications', 'kyc_statuses', 'audit_entries', 'audit_heads'].map(
  (name) => `kyc_relay_${name}`,
)

function tampered(storage: PostgresStorage): TamperedStores {
  const chain = auditSeal.chainOf(uuid('user'), 16)
  const sql = async (text: string) => {
    await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${text}; COMMIT`)
  }
  return {
    verifications: storage.verifications,
    users: storage.users,
    userRetention: storage.userRetention,
    audit: storage.audit!,
    chain,
    at: (sequence) => `chain = ${chain} AND sequence = ${sequence}`,
    sql,
    async copy() {
      for (const table of copied)
        await sql(`DROP TABLE IF EXISTS copy_${table}; CREATE TABLE copy_${table} AS TABLE ${table}`)
      return async () => {
        for (const table of copied) {
          await sql(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM copy_${table}; DROP TABLE copy_${table}`)
        }
        await sql(
          'DELETE FROM kyc_relay_photo_jobs WHERE verification_id NOT IN (SELECT verification_id FROM kyc_relay_verifications)',
        )
      }
    },
  }
}

describe('the audit log of the stores on PostgreSQL', () => {
  test('gives no finding when a user is erased while a verification is compared', async () => {
    const storage = await open()
    await storage.verifications.record(submission('n1'))
    const erased = { appId: uuid('app'), userId: uuid('user'), actor: { name: 'operator:Ada', reason: 'asked' } }
    let reads = 0
    const erasing: PostgresDatabase = {
      ...database,
      run: (work) =>
        database.run((on) =>
          work({
            async query(query) {
              if (/from "kyc_relay_submission_keys"/.test(query.text) && (reads += 1) === 1) {
                await storage.users.eraseUser(erased)
              }
              return on.query(query)
            },
          }),
        ),
    }
    expect((await verify(createAuditLog(erasing, 'stores', auditSeal))).findings).toEqual([])
    expect(reads).toBe(2)
    await storage.close()
  })

  test('gives no finding for a status that a process with a late clock changed', async () => {
    const storage = await open()
    const userId = uuid('user')
    const at = (minutes: number) => new Date(startOfTests.getTime() + minutes * 60_000)
    // The clock of the first process is ten minutes ahead of the others.
    await storage.verifications.record({ ...submission('n1'), recordedAt: at(10) })
    const wrong = { correctionId: uuid('correction'), expected: 'PASS', next: 'UNVERIFIED' } as const
    await storage.corrections.correctKycStatus({ ...wrong, userId, at: at(1), actor: 'operator:Ada', reason: 'wrong' })
    await storage.verifications.record({ ...submission('n2'), recordedAt: at(2) })
    expect((await verify(storage.audit!)).findings).toEqual([])
    const owner = { appId: uuid('app'), userId }
    const second = await storage.verifications.findVerification(owner, uuid('verification n2'))
    expect([second?.recordedAt, second?.statusLog.at]).toEqual([at(2), at(10)])
    await storage.close()
  })

  test('stays whole under 50 concurrent submissions of few users, repeats, an erasure and two processes', async () => {
    const handles = [await open(), await open()]
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const key = { userId: uuid(`user ${index % 5}`) }
        return handles[index % 2]!.verifications.record(submission(`n${index % 45}`, { key }))
      }),
    )
    await handles[0]!.users.eraseUser({
      appId: uuid('app'),
      userId: uuid('user 3'),
      actor: { name: 'operator:Ada', reason: 'asked' },
    })
    const log = await readLog('stores')
    const { findings, report } = await verify(log)
    await log.close()
    expect(findings).toEqual([])
    // 16 beginnings, 45 verifications, one erasure.
    expect(report).toMatchObject({ startedAtMs: startOfTests.getTime(), entries: 62, findings: 0 })
    await Promise.all(handles.map((handle) => handle.close()))
  })

  test.each([...tamperingCases, ...keyTamperingCases, ...statusRowTamperingCases])(
    'finds that $name',
    async ({ run, findings }) => {
      const stores = tampered(await open())
      const found = await run(stores)
      expect(inOrder(found)).toMatchObject(inOrder(findings(stores)))
      expect(found).toHaveLength(findings(stores).length)
    },
  )

  test('finds nothing wrong with corrected statuses, and a status that was set without one', async () => {
    const storage = await open()
    const userId = uuid('user')
    await storage.verifications.record(submission('one'))
    const by = { actor: 'operator:Ada', reason: 'forged' }
    const at = new Date(startOfTests.getTime() + 1000)
    const first = { correctionId: uuid('c 1'), userId, expected: 'PASS', next: 'UNVERIFIED', at, ...by } as const
    await storage.corrections.correctKycStatus(first)
    expect((await verify(storage.audit!)).findings).toEqual([])
    const second = { ...first, correctionId: uuid('c 2'), expected: 'UNVERIFIED', next: 'PASS_INTERNATIONAL' } as const
    await storage.corrections.correctKycStatus(second)
    expect((await verify(storage.audit!)).findings).toEqual([])
    const entries = await storage.audit!.listEntries({
      chain: auditSeal.chainOf(userId, 16),
      after: 2,
      limit: 10,
    })
    expect(entries.map(({ kind, subject, actor, reason }) => [kind, subject, actor, reason])).toEqual([
      ['KYC_STATUS_CORRECTED', uuid('c 1'), by.actor, by.reason],
      ['KYC_STATUS_CORRECTED', uuid('c 2'), by.actor, by.reason],
    ])
    await storage.database.write((db) => db.execute("UPDATE kyc_relay_kyc_statuses SET status = 'PASS'"))
    expect((await verify(storage.audit!)).findings).toMatchObject([{ code: 'STATUS_UNFOUNDED', subject: userId }])
    await storage.close()
  })

  test('has an entry for each change of an API key', async () => {
    const storage = await open()
    await expectKeyRotationEntries(storage.apps, storage.audit!, 16)
    await storage.close()
  })

  test('has an entry for each change of a grant and each access token', async () => {
    const storage = await open()
    await expectGrantEntries(storage.apps, storage.audit!)
    await storage.close()
  })

  test('has an entry for each endpoint registered or removed and each sign-in', async () => {
    const storage = await open()
    await expectEndpointAndSignInEntries(storage, storage.audit!)
    await storage.close()
  })

  test('finds keys, tokens, grants and endpoints that SQL changed', async () => {
    const storage = await open()
    await expectChangedAccessIsFound(storage, storage.audit!, async (text) => {
      await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${text}; COMMIT`)
    })
    await storage.close()
  })

  test('finds a change of any column of apps, keys, grants, tokens, endpoints, corrections, holds and closures', async () => {
    const storage = await open()
    await expectChangedColumnsAreFound(storage, storage.audit!, {
      sql: async (text) => {
        await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${text}; COMMIT`)
      },
      listColumns: async (table) => {
        const columns = 'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1'
        return (await pool.query<{ name: string }>(columns, [table])).rows.map(({ name }) => name)
      },
      later: (column, milliseconds) => `${column} + ${milliseconds} * interval '1 millisecond'`,
    })
    await storage.close()
  })

  test('finds revocations, holds and closures that SQL removed', async () => {
    const storage = await open()
    await expectRemovedRowsAreFound(storage, storage.audit!, async (text) => {
      await pool.query(text)
    })
    await storage.close()
  })

  test('no endpoint and no sign-in is written without its entry', async () => {
    const storage = await open()
    await expectNoEndpointOrSignInWithoutEntry(storage, async () => {
      await pool.query('DELETE FROM kyc_relay_audit_heads')
    })
    await storage.close()
  })

  test('no grant is written without its entry', async () => {
    const storage = await open()
    await expectNoGrantWithoutEntry(storage.apps, async () => {
      await pool.query('DELETE FROM kyc_relay_audit_heads')
    })
    await storage.close()
  })

  test('finds that a whole chain was removed, or its newest entries, without checkpoints', async () => {
    const storage = await open()
    const { chain, sql } = tampered(storage)
    await recordSome(storage.verifications)
    await sql(`DELETE FROM kyc_relay_audit_entries WHERE chain = ${chain} AND sequence > 7`)
    expect((await verify(storage.audit!)).findings).toMatchObject([
      { code: 'CHAIN_CUT_OFF', chain, sequence: 8, toSequence: 9 },
      { code: 'ROW_WITHOUT_ENTRY' },
      { code: 'ROW_WITHOUT_ENTRY' },
    ])
    await sql(
      `DELETE FROM kyc_relay_audit_entries WHERE chain = ${chain}; DELETE FROM kyc_relay_audit_heads WHERE chain = ${chain}`,
    )
    expect((await verify(storage.audit!)).findings[0]).toMatchObject({ code: 'CHAIN_MISSING', chain })
    // A start does not make up what is missing.
    const again = await open()
    await expect(again.verifications.record(submission('more'))).rejects.toMatchObject({ code: 'AUDIT_INCOMPLETE' })
    expect(
      await again.verifications.findVerification(
        { appId: uuid('app'), userId: uuid('user') },
        uuid('verification more'),
      ),
    ).toBeNull()
    expect((await verify(storage.audit!)).findings[0]).toMatchObject({ code: 'CHAIN_MISSING', chain })
  })

  test('finds that the head of a chain was put back', async () => {
    const storage = await open()
    const { chain, sql } = tampered(storage)
    await recordSome(storage.verifications)
    await sql(`UPDATE kyc_relay_audit_heads SET mac = sha256('x') WHERE chain = ${chain}`)
    expect((await verify(storage.audit!)).findings).toMatchObject([{ code: 'HEAD_DIFFERS', chain, sequence: 9 }])
  })

  test.each(['kyc_relay_audit_entries', 'kyc_relay_audit_heads'])(
    'a failing write to %s leaves neither row nor entry',
    async (table) => {
      const storage = await open()
      await recordSome(storage.verifications)
      await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT fails CHECK (sequence < 10) NOT VALID`)
      const failing = storage.verifications.record(submission('more'))
      await expect(failing).rejects.toMatchObject({ code: 'CONSTRAINT' })
      await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT fails`)
      const owner = { appId: uuid('app'), userId: uuid('user') }
      expect(await storage.verifications.findVerification(owner, uuid('verification more'))).toBeNull()
      expect((await verify(storage.audit!)).findings).toEqual([])
      await storage.verifications.record(submission('more'))
      expect((await verify(storage.audit!)).findings).toEqual([])
    },
  )
})

describe('the audit log of the vault on PostgreSQL', () => {
  test('goes on over reveals, erasures and rotated keys', async () => {
    const keys = addSealKey(auditKeyFile, { randomBytes, now: startOfTests })
    const rotated = createLocalCipher({ keys: parseKeyFile(keys) })
    const kinds = await exerciseVault(await openVault(), () =>
      createPostgresVault({ pool }, { cipher: rotated, audit: createLocalAuditSeal({ keys: parseKeyFile(keys) }) }),
    )
    const log = await readLog('vault')
    const { findings, report } = await verify(log)
    await log.close()
    expect(findings).toEqual([])
    expect(report.entries).toBe(16 + kinds)
  })

  test.each(vaultTamperingCases)('finds that $name', async ({ sql, findings }) => {
    const vault = await openVault()
    await exerciseVault(vault, openVault)
    await pool.query(sql)
    const found = (await verify(vault.audit!)).findings
    expect(inOrder(found)).toMatchObject(inOrder(findings))
    expect(found).toHaveLength(findings.length)
  })
})
