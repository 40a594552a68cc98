import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { webhookStoreCases } from '@kyc-relay/webhooks/testing'
import { expect, test } from 'vitest'
import { openWebhookStore } from './webhook-store.js'

test.each(webhookStoreCases)('$id $name', async ({ run }) => {
  const path = mkdtempSync(join(tmpdir(), 'kyc-relay-lmdb-'))
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  try {
    await run({
      open: async () => openWebhookStore({ path, now: () => new Date(nowMs) }),
      advance: async (ms) => void (nowMs += ms),
    })
  } finally {
    rmSync(path, { recursive: true })
  }
})

test('the store has less than 300 lines in one file', () => {
  const source = readFileSync(new URL('webhook-store.ts', import.meta.url), 'utf8')
  expect(source.trimEnd().split('\n').length).toBeLessThan(300)
  expect(source).not.toMatch(/from '\.\.?\//)
})
