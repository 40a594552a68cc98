import { randomBytes } from 'node:crypto'
import { createKeyFile, createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../src/audit/audit-entry.js'
import { CHAIN_START, checkRun } from '../../src/audit/check-run.js'

const seal = createLocalAuditSeal({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date(0) })) })

function history(subjects: string): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (const subject of subjects) {
    const event = { kind: 'USER_ERASED', atMs: 1, appId: 'a', userId: 'u', subject, contentDigest: '' } as const
    entries.push(seal.next('stores', 0, entries.at(-1) ?? null, event))
  }
  return entries
}

const check = (entries: readonly AuditEntry[]) =>
  checkRun({ log: 'stores', chain: 0, place: CHAIN_START, entries }, seal)

test('an entry that follows another one than it was sealed after is found, though both are as sealed', () => {
  const [first, second, third] = [history('abc'), history('axc')].flatMap((entries, index) =>
    index === 0 ? entries.slice(0, 2) : entries.slice(2),
  ) as [AuditEntry, AuditEntry, AuditEntry]
  const { findings, intact } = check([first, second, third])
  expect(findings).toMatchObject([{ code: 'ENTRY_REPLACED', sequence: 3, subject: 'c' }])
  expect(intact).toHaveLength(3)
  expect(check(history('abc')).findings).toEqual([])
})
