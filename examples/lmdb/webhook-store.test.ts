import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { webhookStoreCases } from '@kyc-relay/webhooks/testing'
import { test } from 'vitest'
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
