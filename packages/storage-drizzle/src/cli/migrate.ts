#!/usr/bin/env node
import type { MigrationTarget } from '../engine/migrations/ledger.js'
import type { OwnTables } from '../engine/migrations/migration-files.js'
import { runMigrateCommand, type DatabasePart, type TerminalLine } from './migrate-command.js'

async function open(url: string, part: DatabasePart, ownTables: OwnTables | null): Promise<MigrationTarget> {
  // Loads only the requested engine, so the driver of the other one need not be installed.
  if (/^postgres(ql)?:/.test(url)) {
    // The first process of a container gets only signals that it listens to. PostgreSQL rolls back what is open.
    process.once('SIGINT', () => process.exit(130))
    process.once('SIGTERM', () => process.exit(143))
    const { openPostgresMigrations } = await import('../engine/postgres/open-migrations.js')
    return openPostgresMigrations(url, part, ownTables)
  }
  const { openSqliteMigrations } = await import('../engine/sqlite/open-migrations.js')
  return openSqliteMigrations(url.replace(/^file:/, ''), part, ownTables)
}

/** Uses standard error, so that standard output holds whole lines only. */
const terminal: TerminalLine | null = !process.stderr.isTTY
  ? null
  : {
      show: (text) => void process.stderr.write(`\r\u001b[K${text}`),
      everySecond(callback) {
        const timer = setInterval(callback, 1_000)
        return () => clearInterval(timer)
      },
    }

// Nobody reads on, as after `| head`. The migrations go on, and the exit code tells their outcome.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await runMigrateCommand(process.argv.slice(2), {
  open,
  environment: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  terminal,
})
