import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresStorage, createPostgresVault, openPostgresAuditLog } from '../../../src/postgres/index.js'
import { submission } from '../../samples.js'
import { freePort } from './free-port.js'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
import { auditSeal } from '../../audit/audit-samples.js'
import { cipher } from '../../vault/any-cipher.js'

let primary: OwnPostgres
let standby: OwnPostgres

beforeAll(async () => {
  primary = await startOwnPostgres(['wal_level=replica', 'hot_standby=on', 'max_wal_senders=5'])
  await primary.ask('CREATE DATABASE kyc')
  await primary.halt()
  standby = await primary.makeStandby()
  await primary.start()
  await standby.start()
})
afterAll(() => primary.stop())

const urlOf = (ports: readonly number[], query = '') =>
  `postgres://postgres:postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/kyc${query}`

test('a standby is refused by name', async () => {
  const opening = createPostgresStorage({ connectionString: urlOf([standby.port]) })
  await expect(opening).rejects.toMatchObject({
    code: 'DURABILITY_NOT_GUARANTEED',
    cause: 'STANDBY',
    retryable: false,
  })
})

test.each(['', '?target_session_attrs=read-write', '?target_session_attrs=primary&sslmode=disable'])(
  'of several hosts the primary is used, wherever it stands %s',
  async (query) => {
    const deaf = await freePort()
    for (const ports of [
      [primary.port, standby.port],
      [standby.port, primary.port],
      [deaf, standby.port, primary.port],
    ]) {
      const storage = await createPostgresStorage({ connectionString: urlOf(ports, query) })
      expect(await storage.verifications.record(submission('again'))).toMatchObject({ result: {} })
      await storage.close()
    }
  },
)

test('the audit log is read on the primary of several hosts, though its connection writes nothing', async () => {
  const connectionString = urlOf([standby.port, primary.port], '?target_session_attrs=read-write')
  await (await createPostgresStorage({ connectionString })).close()
  const log = await openPostgresAuditLog({ connectionString }, { log: 'stores', seal: auditSeal })
  expect(await log.listHeads()).toBeInstanceOf(Array)
  await log.close()
})

test('hosts without a primary are told of', async () => {
  const deaf = await freePort()
  const opening = createPostgresStorage({ connectionString: urlOf([deaf, standby.port]) })
  await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', cause: 'NO_PRIMARY', retryable: true })
  const nobody = createPostgresStorage({ connectionString: urlOf([deaf, deaf]) })
  await expect(nobody).rejects.toMatchObject({ cause: 'NOT_LISTENING', driverCode: 'ECONNREFUSED' })
})

test('a wrong password is told of, not that there is no primary', async () => {
  const url = urlOf([standby.port, primary.port]).replace('postgres:postgres@', 'postgres:wrong@')
  await expect(createPostgresStorage({ connectionString: url })).rejects.toMatchObject({ cause: 'LOGIN_REFUSED' })
})

test('a promoted standby is found without a restart, and listened to again', async () => {
  const connectionString = urlOf([primary.port, standby.port], '?target_session_attrs=read-write')
  const storage = await createPostgresStorage({ connectionString })
  const vault = await createPostgresVault({ connectionString }, { cipher })
  let wakes = 0
  const stopListening = await storage.webhooks.onDue(() => (wakes += 1))
  await storage.verifications.record(submission('before'))
  // What was acknowledged is on the standby before the primary goes.
  const [{ lsn } = {}] = await primary.ask('SELECT pg_current_wal_lsn() AS lsn')
  await expect
    .poll(async () => (await standby.ask(`SELECT pg_last_wal_replay_lsn() >= '${String(lsn)}' AS there`))[0])
    .toEqual({ there: true })
  await primary.halt()
  const outcome = await storage.verifications.record(submission('between')).catch((error: unknown) => error)
  expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
  await standby.ask('SELECT pg_promote()')
  await expect
    .poll(() => storage.verifications.record(submission('after')).then(({ kind }) => kind, String), { timeout: 10_000 })
    .toBe('recorded')
  expect(await storage.verifications.record(submission('before'))).toMatchObject({ kind: 'replayed' })
  const wakesBefore = wakes
  await expect
    .poll(
      async () => {
        await standby.ask('NOTIFY kyc_relay_due', 'kyc')
        return wakes
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(wakesBefore)
  await stopListening()
  await vault.close()
  await storage.close()
})
