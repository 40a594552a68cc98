import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { auditSeal, verify } from '../audit/audit-samples.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { startOfTests, submission, uuid } from '../samples.js'
import { storeEngines } from '../webhooks/store-engines.js'

// PostgreSQL writes these times as `Date` does not read them. The first one is what other languages send for “no time”.
const times = [
  '0001-01-01T00:00:00.000Z',
  '0031-12-31T23:59:59.999Z',
  '0049-06-01T12:00:00.000Z',
  '1850-01-01T00:00:00.500Z',
]

const decided = times.map((time) => {
  const sample = submission(`decided ${time}`, { key: { userId: uuid(`user ${time}`) } })
  return { ...sample, verification: { ...sample.verification, decisionedAt: new Date(time) } }
})

const { engines } = storeEngines(() => startOfTests)
describe.each(engines)('decisions of long ago on $engine', ({ start, open, stop }) => {
  beforeAll(start)
  afterAll(stop)

  test('are read as they were recorded', async () => {
    const { verifications, close } = await open()
    for (const recording of decided) {
      const { key, verification } = recording
      await verifications.record(recording)
      const found = await verifications.findVerification(key, verification.verificationId)
      expect(found?.decisionedAt).toEqual(verification.decisionedAt)
    }
    await close()
  })
})

describe('in time zones with seconds, as they were before the railways', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('the audit log agrees with its rows', async () => {
    const connectionString = await server.createDatabase()
    const pool = new pg.Pool({ connectionString, options: '-c TimeZone=Europe/Berlin' })
    onTestFinished(() => pool.end())
    vi.stubEnv('TZ', 'America/New_York')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { verifications, audit, close } = await createPostgresStorage({ pool }, { notify: false, audit: auditSeal })
    for (const recording of decided) await verifications.record(recording)
    if (audit === null) throw new Error('no audit log')
    const { findings, report } = await verify(audit)
    expect(findings).toEqual([])
    expect(report.entries).toBeGreaterThanOrEqual(times.length)
    await close()
  })
})
