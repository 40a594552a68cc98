import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const startFolder = process.cwd()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-example-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(startFolder)
  rmSync(folder, { recursive: true, force: true })
})

it('commits a row with its event, delivers the event to a verifying receiver, and ends', async () => {
  const printed: unknown[][] = []
  vi.spyOn(console, 'log').mockImplementation((...line: unknown[]) => void printed.push(line))
  await import('./send-webhooks.js')
  expect(printed).toEqual([['QUEUED', 'WIDGET_DEPOSIT_COMPLETE']])
  const database = new Database('shop.db', { readonly: true })
  expect(database.prepare('SELECT * FROM deposits').all()).toMatchObject([{ amount: 100.5 }])
  expect(database.prepare('SELECT state FROM kyc_relay_deliveries').pluck().all()).toEqual(['DELIVERED'])
  database.close()
})

it('has under 40 lines', () => {
  const program = readFileSync(new URL('./send-webhooks.ts', import.meta.url), 'utf8')
  expect(program.trimEnd().split('\n').length).toBeLessThan(40)
})
