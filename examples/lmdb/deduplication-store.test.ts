import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deduplicationStoreCases } from '@kyc-relay/webhooks/testing'
import { expect, test } from 'vitest'
import { openDeduplicationStore } from './deduplication-store.js'

test.each(deduplicationStoreCases)('$id $name', async ({ run }) => {
  const path = mkdtempSync(join(tmpdir(), 'kyc-relay-lmdb-'))
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  try {
    await run({
      open: async () => openDeduplicationStore({ path, now: () => nowMs }),
      advance: async (ms) => void (nowMs += ms),
    })
  } finally {
    rmSync(path, { recursive: true })
  }
})

test('the store has less than 100 lines in one file', () => {
  const source = readFileSync(new URL('deduplication-store.ts', import.meta.url), 'utf8')
  expect(source.trimEnd().split('\n').length).toBeLessThan(100)
  expect(source).not.toMatch(/from '\.\.?\//)
})
