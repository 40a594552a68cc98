// Why: after an erasure with the clock set back, evidence answered 500.
import { KycError, type VerificationRecord } from '@kyc-relay/kyc-core'
import { expect, test } from 'vitest'
import { openSealedPart } from '../../src/evidence/open-sealed-part.js'

const owner = { appId: 'app', userId: 'user' }
const request = {
  owner,
  actor: 'ops',
  purpose: 'case 1',
  recordId: 'record',
  part: 'details',
  sealed: new Uint8Array(),
}
const record = { recordedAt: new Date('2026-01-02') } as VerificationRecord
const broken = new KycError('SEAL_BROKEN')

const open = (erasedAt: Date | null, appsWithKey: readonly string[]) =>
  openSealedPart(request, record, {
    openRecord: () => Promise.reject(broken),
    inspection: {
      findErasure: () => Promise.resolve(erasedAt),
      listAppsOfUser: () => Promise.resolve(appsWithKey),
    },
  })

test.each([
  ['after the record', '2026-01-03', ['app']],
  ['before the record, by a clock that was set back', '2026-01-01', []],
  ['before the record, while another app has data', '2026-01-01', ['other']],
])('a part that does not open was erased if the erasure is dated %s', async (_, erasedAt, appsWithKey) => {
  expect(await open(new Date(erasedAt), appsWithKey)).toBeNull()
})

test('a part that does not open is damaged if nobody was erased, or the user came back before', async () => {
  await expect(open(null, [])).rejects.toBe(broken)
  await expect(open(new Date('2026-01-01'), ['app'])).rejects.toBe(broken)
})
