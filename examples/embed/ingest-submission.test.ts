import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { afterAll, expect, it } from 'vitest'
import { openIngestion } from './ingest-submission.js'

const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-example-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('takes a KYC result and moves the user’s status once', async () => {
  const user = { appId: '0198c0de-0000-7000-8000-00000000a001', userId: '0198c0de-0000-7000-8000-00000000b001' }
  const keyFile = createKeyFile({ randomBytes, now: new Date() })
  const ingestion = await openIngestion(folder, keyFile)
  const first = await ingestion.submit(user, sampleSubmission())
  expect(first).toMatchObject({ kind: 'recorded', result: { status: 'VERIFIED' } })
  expect(await ingestion.kycStatus(user)).toBe('PASS')
  expect(await ingestion.submit(user, sampleSubmission())).toMatchObject({ kind: 'replayed', payloadMatches: true })
  await ingestion.close()

  // After a restart the same key file opens the stored data.
  const again = await openIngestion(folder, keyFile)
  const second = await again.submit(user, sampleSubmission({ externalVerificationId: 'attempt-0002' }))
  expect(second).toMatchObject({ kind: 'recorded', result: { status: 'ALREADY_VERIFIED' } })
  await again.close()
})
