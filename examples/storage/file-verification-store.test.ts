import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verificationStoreCases } from '@kyc-relay/kyc-core/testing'
import { it } from 'vitest'
import { createFileVerificationStore } from './file-verification-store.js'

for (const { id, name, run } of verificationStoreCases) {
  it(`${id} ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-example-'))
    const open = async () => ({
      store: createFileVerificationStore(join(folder, 'verifications.jsonl')),
      close: async () => {},
    })
    try {
      await run({ open })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}
