import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'

/** A folder that goes when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Every row of every table of ours, as text: equal before and after means that nothing was written. */
export function dumpRows(database: Database.Database): string {
  const tables = database
    .prepare<[], { name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'kyc_relay_*' ORDER BY name`,
    )
    .all()
  return tables
    .map(({ name }) => `${name}\n${JSON.stringify(database.prepare(`SELECT * FROM ${name}`).all())}`)
    .join('\n')
}

/** Reads the rows through a connection of its own, as another process would. */
export function dumpRowsOf(path: string): string {
  const database = new Database(path, { readonly: true })
  try {
    return dumpRows(database)
  } finally {
    database.close()
  }
}
