import type { AuditEntry, AuditLog } from '@kyc-relay/kyc-core/audit'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import { auditLogCases } from '@kyc-relay/kyc-core/testing'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { auditSeal } from '../audit/audit-samples.js'
import { startOfTests, uuid } from '../samples.js'

type AuditLogHarness = Parameters<(typeof auditLogCases)[number]['run']>[0]
type Parts = Pick<Awaited<ReturnType<AuditLogHarness['open']>>, 'verifications' | 'log'>
type Spoil = (parts: Parts) => Partial<Parts>

const onLog =
  (change: (log: AuditLog) => Partial<AuditLog>): Spoil =>
  ({ log }) => ({ log: { ...log, ...change(log) } })

const onEntries = (change: (entries: readonly AuditEntry[]) => readonly AuditEntry[]): Spoil =>
  onLog((log) => ({ listEntries: async (page) => change(await log.listEntries(page)) }))

type Submission = Parameters<VerificationStore['record']>[0]

/** The same submission as if it were another one. */
function another(submission: Submission): Submission {
  const verificationId = uuid(`another of ${submission.verification.verificationId}`)
  const { UNVERIFIED, PASS, PASS_INTERNATIONAL } = submission.outcomes
  const renamed = <T extends typeof PASS>({ next, result }: T) => ({ next, result: { ...result, verificationId } })
  return {
    ...submission,
    outcomes: {
      UNVERIFIED: renamed(UNVERIFIED),
      PASS: renamed(PASS),
      PASS_INTERNATIONAL: renamed(PASS_INTERNATIONAL),
    },
    key: { ...submission.key, externalVerificationId: `another ${submission.key.externalVerificationId}` },
    verification: { ...submission.verification, verificationId, photoJobs: [] },
  }
}

/** Changes the entries of long pages, which readers of a whole chain ask for. */
const onLongPages = (change: (entries: readonly AuditEntry[]) => readonly AuditEntry[]): Spoil =>
  onLog((log) => ({
    async listEntries(page) {
      const entries = await log.listEntries(page)
      return page.limit >= 1_000 ? change(entries) : entries
    },
  }))

const wrongLogs: readonly (readonly [what: string, caughtBy: string, spoil: Spoil | 'forgets on closing'])[] = [
  ['has no beginning', 'AL-01', onEntries((entries) => entries.filter(({ kind }) => kind !== 'CHAIN_STARTED'))],
  [
    'lists a beginning twice',
    'AL-01',
    onLongPages((entries) => [...entries.filter(({ kind }) => kind === 'CHAIN_STARTED'), ...entries]),
  ],
  [
    'leaves out whose verification it was',
    'AL-02',
    onLongPages((entries) =>
      entries.map((one) => (one.kind === 'VERIFICATION_RECORDED' ? { ...one, userId: null } : one)),
    ),
  ],
  [
    'repeats a digest in long pages',
    'AL-08',
    onLongPages((entries) => {
      const first = entries.find(({ kind }) => kind === 'VERIFICATION_RECORDED')
      return entries.map((one) =>
        one.kind === 'VERIFICATION_RECORDED' ? { ...one, contentDigest: first?.contentDigest ?? '' } : one,
      )
    }),
  ],
  [
    'does not count what it examined',
    'AL-10',
    onLog((log) => ({ listUnaccounted: async (page) => ({ ...(await log.listUnaccounted(page)), examined: 0 }) })),
  ],
  [
    'overlooks a row that is alone on its page',
    'AL-11',
    onLog((log) => ({
      async listUnaccounted(page) {
        const found = await log.listUnaccounted(page)
        return page.limit === 1 ? { ...found, rows: [] } : found
      },
    })),
  ],
  ['writes when it wrote', 'AL-02', onEntries((entries) => entries.map((one) => ({ ...one, atMs: one.atMs + 1 })))],
  [
    'writes an entry for every request',
    'AL-03',
    ({ verifications }) => ({
      verifications: {
        ...verifications,
        async record(submission) {
          const answer = await verifications.record(submission)
          if (answer.kind !== 'recorded') await verifications.record(another(submission))
          return answer
        },
      },
    }),
  ],
  [
    'writes the entry of what fails',
    'AL-04',
    ({ verifications }) => ({
      verifications: {
        ...verifications,
        async record(submission) {
          try {
            return await verifications.record(submission)
          } catch (error) {
            await verifications.record(another(submission))
            throw error
          }
        },
      },
    }),
  ],
  ['loses an entry of fifty', 'AL-05', onEntries((entries) => entries.filter(({ sequence }) => sequence !== 17))],
  [
    'takes the first entry for the newest',
    'AL-06',
    onLog((log) => ({
      async listHeads() {
        const first = await log.listEntries({ chain: 0, after: 0, limit: 1 })
        return first.map(({ chain, sequence, mac }) => ({ chain, sequence, mac }))
      },
    })),
  ],
  [
    'begins a page with the end of the last one',
    'AL-07',
    onLog((log) => ({
      listEntries: ({ after, ...page }) => log.listEntries({ ...page, after: Math.max(0, after - 1) }),
    })),
  ],
  [
    'has one digest for everything',
    'AL-08',
    onLog((log) => ({
      findRecorded: async (ids) => {
        const row = { digest: '0'.repeat(64), erased: false }
        return new Map([...(await log.findRecorded(ids)).keys()].map((id) => [id, row]))
      },
    })),
  ],
  [
    'makes digests up',
    'AL-09',
    onLog((log) => ({
      async findRecorded(ids) {
        const found = await log.findRecorded(ids)
        return new Map(ids.map((id) => [id, found.get(id) ?? { digest: '', erased: false }]))
      },
    })),
  ],
  [
    'stops after its first page',
    'AL-10',
    onLog((log) => ({ listUnaccounted: async (page) => ({ ...(await log.listUnaccounted(page)), nextCursor: null }) })),
  ],
  [
    'trusts its rows',
    'AL-11',
    onLog((log) => ({ listUnaccounted: async (page) => ({ ...(await log.listUnaccounted(page)), rows: [] }) })),
  ],
  [
    'takes every row for its own',
    'AL-12',
    onEntries((entries) => entries.map((one) => (one.kind === 'CHAIN_STARTED' ? { ...one, subject: '0' } : one))),
  ],
  ['forgets', 'AL-13', 'forgets on closing'],
]

/** An empty database after its migrations. Copies of it open quickly. No log has begun in it. */
let migrated: Buffer
beforeAll(async () => {
  const database = new Database(':memory:')
  await (await createSqliteStorage({ database })).close()
  migrated = database.serialize()
})

async function holdAgainst(caseId: string, spoil: Spoil | 'forgets on closing'): Promise<void> {
  const each = auditLogCases.find(({ id }) => id === caseId)
  if (each === undefined) throw new Error('there is no such case')
  let database = new Database(migrated)
  const clock = () => startOfTests
  try {
    await each.run({
      seal: auditSeal,
      async open() {
        const { verifications, audit, close } = await createSqliteStorage({ database }, { clock, audit: auditSeal })
        const right = { verifications, log: audit! }
        return {
          ...right,
          ...(typeof spoil === 'function' ? spoil(right) : {}),
          async close() {
            await close()
            if (spoil === 'forgets on closing') database = new Database(migrated)
          },
        }
      },
      openWithoutLog: () => createSqliteStorage({ database }, { clock }),
    })
  } finally {
    database.close()
  }
}

describe('the audit log cases', () => {
  test.each(auditLogCases)('$id passes what is right', ({ id }) => holdAgainst(id, () => ({})))

  test.each(wrongLogs)('a log that %s is caught by %s', async (_what, caughtBy, spoil) => {
    await expect(holdAgainst(caughtBy, spoil)).rejects.toThrow()
  })

  test.each(auditLogCases)('$id catches one that no other case catches', async ({ id }) => {
    const others = auditLogCases.filter((each) => each.id !== id)
    for (const [, caughtBy, spoil] of wrongLogs) {
      if (caughtBy !== id) continue
      const failing: string[] = []
      for (const other of others) await holdAgainst(other.id, spoil).catch(() => failing.push(other.id))
      if (failing.length === 0) return
    }
    throw new Error('Other cases catch each of its wrong logs.')
  })
})
