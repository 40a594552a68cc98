import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { runMigrateCommand, type TerminalLine } from '../../src/cli/migrate-command.js'
import { readMigrations } from '../../src/engine/migrations/migration-files.js'
import { StorageError } from '../../src/storage-error.js'
import { openSqliteMigrations } from '../../src/engine/sqlite/open-migrations.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'

async function run(
  parameters: readonly string[],
  environment: Record<string, string> = {},
  terminal: TerminalLine | null = null,
) {
  const lines: string[] = []
  const errors: string[] = []
  const code = await runMigrateCommand(parameters, {
    open: (url, part, ownTables) => Promise.resolve(openSqliteMigrations(url.replace(/^file:/, ''), part, ownTables)),
    environment,
    print: (line) => void lines.push(line),
    warn: (line) => void errors.push(line),
    terminal,
  })
  return { code, lines, errors }
}

describe('kyc-relay-migrate', () => {
  test.each([
    ['kyc.db', 'better-sqlite3'],
    ['postgres://localhost/kyc', 'pg'],
  ])('names the driver that %s needs and that is not installed', async (database, driver) => {
    const lines: string[] = []
    const errors: string[] = []
    const code = await runMigrateCommand(['status', database], {
      open: () => Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })),
      environment: {},
      print: (line) => void lines.push(line),
      warn: (line) => void errors.push(line),
      terminal: null,
    })
    expect({ code, lines, errors }).toEqual({
      code: 1,
      lines: [],
      errors: [`The driver is not installed here: npm install ${driver}`],
    })
  })

  test.each(['--help', '-h'])('%s prints the usage on standard output', async (option) => {
    expect(await run([option])).toEqual({
      code: 0,
      lines: [expect.stringContaining('kyc-relay-migrate up')],
      errors: [],
    })
  })

  test('--version tells the version of the package', async () => {
    const manifest = new URL('../../package.json', import.meta.url)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    expect(await run(['--version'])).toEqual({ code: 0, lines: [version], errors: [] })
    expect((await run(['up', '--version'])).code).toBe(64)
  })

  test.each(['status', 'up'])('%s tells the code of a file that is no database', async (command) => {
    const path = join(testFolder(), 'kyc.db')
    writeFileSync(path, 'no database'.repeat(1_000))
    const { code, lines, errors } = await run([command, path])
    expect([code, lines, errors]).toEqual([1, [], [expect.stringMatching(/^DATABASE_DAMAGED SQLITE_NOTADB: /)]])
  })

  test('tells what is pending, applies it once, and tells that nothing is left', async () => {
    const path = join(testFolder(), 'kyc.db')
    const pending = await run(['status', `file:${path}`])
    expect(pending).toMatchObject({ code: 2 })
    expect(pending.lines[0]).toBe('pending  0001_create_tables (kyc_relay_)')
    expect(pending.lines.pop()).toBe('The file does not exist. If the path is right, up creates it.')
    expect(existsSync(path)).toBe(false)

    const dry = await run(['up', '--dry-run', path])
    expect(dry.code).toBe(0)
    expect(dry.lines.join('\n')).toContain('CREATE TABLE `kyc_relay_verifications`')
    expect(existsSync(path)).toBe(false)

    const up = await run(['up'], { DATABASE_URL: `file:${path}` })
    expect(up).toEqual({ code: 0, lines: pending.lines.map((line) => line.replace('pending', 'applied')), errors: [] })
    expect(await run(['up', path])).toEqual({ code: 0, lines: ['Nothing to apply.'], errors: [] })
    expect(await run(['status', path])).toEqual({ code: 0, lines: up.lines, errors: [] })
  })

  test('applies the migrations of an application after those of the stores', async () => {
    const folder = testFolder()
    writeFileSync(join(folder, '0001_create_orders.sql'), 'CREATE TABLE shop_orders (id INTEGER);\n')
    const own = ['--own-tables', `shop_=${folder}`]
    const path = join(folder, 'kyc.db')
    expect((await run(['up', path])).code).toBe(0)
    expect(await run(['status', path, ...own])).toMatchObject({
      code: 2,
      lines: ['applied  0001_create_tables (kyc_relay_)', 'pending  0001_create_orders (shop_)'],
    })
    expect(await run(['up', path, ...own])).toEqual({
      code: 0,
      lines: ['applied  0001_create_orders (shop_)'],
      errors: [],
    })
    expect((await run(['status', path, ...own])).code).toBe(0)
    for (const wrong of [`shop=${folder}`, 'shop_', 'shop_=', `=${folder}`])
      expect((await run(['up', path, '--own-tables', wrong])).code).toBe(64)
    expect((await run(['up', '--vault', path, ...own])).code).toBe(64)
    const reserved = await run(['up', path, '--own-tables', `kyc_relay_=${folder}`])
    expect(reserved).toMatchObject({ code: 1, lines: [], errors: [expect.stringContaining('ARGUMENT_INVALID')] })
  })

  test('shows on a terminal which migration is under way, and for how long; a line of output for each that is done', async () => {
    const shown: string[] = []
    let tick = () => {}
    let ticking = false
    const terminal: TerminalLine = {
      show: (text) => void shown.push(text),
      everySecond(callback) {
        ticking = true
        tick = callback
        return () => (ticking = false)
      },
    }
    const lines: string[] = []
    const errors: string[] = []
    const shippedBefore = { number: 2, total: 3, name: '0002_second', prefix: 'shop_' }
    const code = await runMigrateCommand(['up', 'kyc.db'], {
      open: () =>
        Promise.resolve({
          status: () => Promise.reject(new Error('not asked for')),
          up({ onMigration } = {}) {
            onMigration?.({ ...shippedBefore, state: 'applying' })
            tick()
            tick()
            onMigration?.({ ...shippedBefore, state: 'applied' })
            onMigration?.({ ...shippedBefore, number: 3, name: '0003_third', state: 'applying' })
            return Promise.reject(new StorageError('STORE_UNAVAILABLE'))
          },
          close: () => Promise.resolve(),
        }),
      environment: {},
      print: (line) => void lines.push(line),
      warn: (line) => void errors.push(line),
      terminal,
    })
    expect(shown).toEqual([
      'applying 0002_second (shop_), 2 of 3',
      'applying 0002_second (shop_), 2 of 3, 1 s',
      'applying 0002_second (shop_), 2 of 3, 2 s',
      '',
      'applying 0003_third (shop_), 3 of 3',
      '',
    ])
    expect([code, lines, ticking]).toEqual([1, ['applied  0002_second (shop_)'], false])
    expect(errors).toEqual([expect.stringMatching(/^STORE_UNAVAILABLE: /)])
  })

  test('keeps the history of the vault apart', async () => {
    const path = join(testFolder(), 'vault.db')
    expect(await run(['up', '--vault'], { VAULT_DATABASE_URL: path })).toEqual({
      code: 0,
      lines: readMigrations('sqlite-vault').map(({ name }) => `applied  ${name} (kyc_relay_vault_)`),
      errors: [],
    })
    expect(await run(['status', path])).toMatchObject({ code: 2 })
    expect(await run(['up', '--receiver', path])).toEqual({
      code: 0,
      lines: ['applied  0001_create_tables (kyc_relay_receiver_)'],
      errors: [],
    })
    expect(await run(['up', path])).toMatchObject({ code: 0 })
    for (const part of [[], ['--vault'], ['--receiver']])
      expect(await run(['status', ...part, path])).toMatchObject({ code: 0 })
  })

  test('refuses an edited schema with its code and a fixed text', async () => {
    const path = join(testFolder(), 'kyc.db')
    await run(['up', path])
    new Database(path).exec('ALTER TABLE kyc_relay_events ADD COLUMN note TEXT').close()
    for (const command of [['status'], ['up'], ['up', '--dry-run']]) {
      const ended = await run([...command, path])
      expect(ended).toEqual({ code: 1, lines: [], errors: [expect.stringMatching(/^SCHEMA_EDITED: /)] })
    }
  })

  test.each([
    [[], 'No command is given'],
    [['down'], 'The command is unknown. The commands are status and up.'],
    [['up', 'a', 'b'], 'There are too many arguments.'],
    [['up', '--force'], 'An option is unknown or lacks its value.'],
    [['up', '--vault', '--receiver', 'a'], 'Give --vault or --receiver, not both'],
    [['up', '--own-tables', 'canary', 'a'], '--own-tables: expected <prefix>=<folder>'],
    [['status'], 'No database is given. Give it as the last argument, or set DATABASE_URL.'],
    [['up', '--vault'], 'No database is given. Give it as the last argument, or set VAULT_DATABASE_URL.'],
    [['up', 'mysql://canary/kyc'], 'The last argument: expected file:<path>, a path, or postgres://…'],
    [['status', 'postgress://canary/kyc'], 'The last argument: expected'],
    [['up', 'http:canary.db'], 'The last argument: expected'],
  ])('on %j says on standard error what is wrong and how to call it', async (parameters, problem) => {
    const { code, lines, errors } = await run(parameters)
    expect([code, lines, errors.length]).toEqual([64, [], 1])
    expect(errors[0]?.slice(0, problem.length)).toBe(problem)
    expect(errors[0]).toContain('kyc-relay-migrate status')
    expect(errors[0]).not.toContain('canary')
  })

  test('names the variable with a database of another kind', async () => {
    const { code, errors } = await run(['up'], { DATABASE_URL: 'mysql://canary' })
    expect({ code, problem: errors[0]?.split('\n')[0] }).toEqual({
      code: 64,
      problem: 'DATABASE_URL: expected file:<path>, a path, or postgres://…',
    })
  })

  test('says nothing of the database in an error', async () => {
    const folder = testFolder()
    const { code, lines, errors } = await run(['up', join(folder, 'missing', 'kyc.db')])
    expect([code, lines, errors.length]).toEqual([1, [], 1])
    expect(errors.join()).not.toContain(folder)
  })
})
