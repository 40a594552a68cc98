import { expect, it } from 'vitest'
import { createLog, type Log, type LogFields } from '../../src/operations/log.js'
import { createMigrationLog } from '../../src/operations/migration-log.js'
import { startProgressLog } from '../../src/operations/progress-log.js'

/** A log in memory: each line as its message and its fields. */
function memoryLog() {
  const lines: [string, LogFields][] = []
  const write = (message: string, fields: LogFields = {}) => void lines.push([message, fields])
  const log: Log = { info: write, warn: write, error: write }
  return { log, lines }
}

it('long work tells every 10 s how much is done, left and done per second, and ends with a line', () => {
  const { log, lines } = memoryLog()
  let ms = 500
  const progress = startProgressLog('a job', log, () => ms)
  for (let count = 100; count <= 3_000; count += 100) {
    ms += 1_000
    progress.tell({ count, remaining: 3_000 - count })
  }
  ms += 1_000
  progress.end('done', { count: 3_000, remaining: 0 })
  const job = 'a job'
  expect(lines).toEqual([
    ['work goes on', { job, count: 1_000, remaining: 2_000, perSecond: 100, durationMs: 10_000 }],
    ['work goes on', { job, count: 2_000, remaining: 1_000, perSecond: 100, durationMs: 20_000 }],
    ['work goes on', { job, count: 3_000, remaining: 0, perSecond: 100, durationMs: 30_000 }],
    ['done', { job, count: 3_000, remaining: 0, perSecond: 96.8, durationMs: 31_000 }],
  ])
})

it('short work that did nothing says nothing; long work that did nothing says so', () => {
  const { log, lines } = memoryLog()
  let ms = 0
  const short = startProgressLog('a job', log, () => ms)
  short.tell({ count: 0, examined: 0 })
  short.end('done', { count: 0, examined: 0 })
  expect(lines).toEqual([])

  const long = startProgressLog('a job', log, () => ms)
  ms += 20_000
  long.tell({ count: 0, examined: 5_000 })
  long.end('done', { count: 0, examined: 6_000 })
  expect(lines.map(([message, fields]) => [message, fields.examined, fields.perSecond])).toEqual([
    ['work goes on', 5_000, 250],
    ['done', 6_000, 300],
  ])
})

it('a new database takes one line of the log, a migration of an existing one a line before and after', () => {
  const { log, lines } = memoryLog()
  let ms = 0
  const migrations = createMigrationLog(log, () => ms)
  const apply = (tell: ReturnType<typeof migrations>, number: number, total: number) => {
    const step = { name: `000${number}_sentence`, prefix: 'kyc_relay_', number, total }
    tell.onMigration({ ...step, state: 'applying' })
    ms += 70
    tell.onMigration({ ...step, state: 'applied' })
  }
  const made = migrations('vault')
  for (const number of [1, 2, 3]) apply(made, number, 3)
  const migrated = migrations('stores')
  for (const number of [4, 5]) apply(migrated, number, 5)
  migrated.onMigrationWaiting({ waitedMs: 1_000 })
  const of = { job: 'migrate stores', total: 5 }
  expect(lines).toEqual([
    ['database made', { job: 'migrate vault', count: 3, total: 3, durationMs: 210 }],
    ['applying migration', { ...of, migration: '0004_sentence', count: 4 }],
    ['migration applied', { ...of, migration: '0004_sentence', count: 4, durationMs: 70 }],
    ['applying migration', { ...of, migration: '0005_sentence', count: 5 }],
    ['migration applied', { ...of, migration: '0005_sentence', count: 5, durationMs: 70 }],
    ['migration waits for a lock', { job: 'migrate stores', durationMs: 1_000 }],
  ])
})

it('the allow-list passes the fields of progress on', () => {
  const written: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void written.push(line) })
  const fields = { job: 'a job', count: 1, remaining: 2, examined: 3, total: 4, perSecond: 0.5, migration: '0001_a' }
  log.info('work goes on', { ...fields, durationMs: 7 })
  expect(JSON.parse(written[0] ?? '')).toMatchObject({ ...fields, durationMs: 7 })
})
