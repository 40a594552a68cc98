import { NO_MAC, type AuditEntry } from '../audit/audit-entry.js'
import type { AuditFinding } from '../audit/audit-finding.js'
import type { AuditLog } from '../audit/audit-log.js'
import type { AuditSeal } from '../audit/audit-seal.js'
import { verifyAuditLog } from '../audit/verify-audit-log.js'
import type { VerificationStore } from '../ingestion/verification-store.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import { createRecordedSubmission, keyOf, USERS, uuid } from './verification-submissions.js'

/** One handle on the data: the log under test, and the store that writes it. */
export interface AuditLogHandle {
  readonly verifications: VerificationStore
  /** The log `stores`. */
  readonly log: AuditLog
  /** Closes only this handle. */
  close(): Promise<void>
}

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface AuditLogHarness {
  /** Seal of every handle. */
  readonly seal: AuditSeal
  /** Opens a handle. A second call opens another one on the same data, like another process. */
  open(): Promise<AuditLogHandle>
  /** Opens a handle on the same data that writes no entries, like an older version of the store. */
  openWithoutLog(): Promise<Pick<AuditLogHandle, 'verifications' | 'close'>>
}

interface Opened extends AuditLogHandle {
  readonly harness: AuditLogHarness
  readonly other: AuditLogHandle
}

const { maria, jonas, other: stranger } = USERS
const submissionOf = (number: number, owner: typeof maria | typeof jonas | typeof stranger = maria) =>
  createRecordedSubmission(keyOf(owner, `id-${number}`), number)
const idOf = (number: number): string => submissionOf(number).verification.verificationId

/** Creates a case with two handles on the same data. Both are closed afterwards, also after a failure. */
function auditCase(id: string, name: string, run: (opened: Opened) => Promise<void>): ConformanceCase<AuditLogHarness> {
  return {
    id,
    name,
    async run(harness) {
      const [one, other] = [await harness.open(), await harness.open()]
      try {
        await run({ ...one, harness, other })
      } finally {
        await one.close()
        await other.close()
      }
    },
  }
}

async function recordWithoutLog(harness: AuditLogHarness, ...numbers: readonly number[]): Promise<void> {
  const { verifications, close } = await harness.openWithoutLog()
  try {
    for (const number of numbers) await verifications.record(submissionOf(number))
  } finally {
    await close()
  }
}

/** Reads every entry of every chain, in order of the chains. */
async function readAll(log: AuditLog): Promise<AuditEntry[]> {
  const pages = []
  for (let chain = 0; chain < log.chains; chain += 1) {
    pages.push(await log.listEntries({ chain, after: 0, limit: 1_000 }))
  }
  return pages.flat()
}

async function readRecorded(log: AuditLog): Promise<AuditEntry[]> {
  return (await readAll(log)).filter(({ kind }) => kind === 'VERIFICATION_RECORDED')
}

async function findingsOf(log: AuditLog, seal: AuditSeal): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = []
  await verifyAuditLog({ log, seal, checkpoints: [], pageSize: 3, onFinding: (finding) => findings.push(finding) })
  return findings
}

/** Reads all rows in pages of `limit`. */
async function walkRows(log: AuditLog, limit: number, startedAfter = 0) {
  const walked = { rows: [] as string[], examined: 0 }
  let cursor: string | null = null
  for (let pages = 0; pages < 1_000; pages += 1) {
    const page: Awaited<ReturnType<AuditLog['listUnaccounted']>> = await log.listUnaccounted({
      startedAfter,
      cursor,
      limit,
    })
    assertThat(page.examined <= limit, 'a page examines at most `limit` rows')
    walked.rows.push(...page.rows.map(({ code, subject }) => `${code} ${subject}`))
    walked.examined += page.examined
    cursor = page.nextCursor
    if (cursor === null) return walked
  }
  throw new Error('Paging over the rows does not end.')
}

/**
 * Lists the rules of the `AuditLog` port, and of a `VerificationStore` that writes one, as cases for any test runner.
 *
 * @example
 * ```ts
 * import { auditLogCases } from '@kyc-relay/kyc-core/testing'
 *
 * type Harness = Parameters<(typeof auditLogCases)[number]['run']>[0]
 * async function check(newHarness: () => Harness): Promise<void> {
 *   for (const each of auditLogCases) await each.run(newHarness()) // or it(each.name, () => …)
 * }
 * ```
 */
export const auditLogCases: readonly ConformanceCase<AuditLogHarness>[] = [
  auditCase('AL-01', 'MUST start every chain once, with any number of handles', async ({ log, harness: { seal } }) => {
    const entries = await readAll(log)
    assertEqual(
      entries.map(({ chain, sequence, kind, previousMac }) => [chain, sequence, kind, previousMac]),
      Array.from({ length: log.chains }, (_, chain) => [chain, 1, 'CHAIN_STARTED', NO_MAC]),
      'one beginning of each chain',
    )
    assertEqual(await findingsOf(log, seal), [], 'a log that was just begun is whole')
  }),
  auditCase('AL-02', 'MUST write one entry for a verification, readable as soon as it is recorded', async (opened) => {
    const submission = submissionOf(1)
    await opened.verifications.record(submission)
    const [entry, ...more] = await readRecorded(opened.other.log)
    assertThat(entry !== undefined && more.length === 0, 'there is one entry')
    const { subject, appId, userId, atMs, chain } = entry
    assertEqual(
      { subject, appId, userId, atMs },
      { subject: idOf(1), appId: maria.appId, userId: maria.userId, atMs: submission.recordedAt.getTime() },
      'the entry says which verification of whom, and when',
    )
    assertEqual(chain, opened.harness.seal.chainOf(maria.userId, opened.log.chains), 'in the chain of the user')
    assertEqual(opened.harness.seal.check('stores', entry), 'INTACT', 'the entry is sealed')
  }),
  auditCase(
    'AL-03',
    'MUST NOT write an entry for a submission that is already recorded or is refused',
    async (opened) => {
      await opened.verifications.record(submissionOf(1))
      await opened.verifications.record(submissionOf(1))
      await opened.other.verifications.record(submissionOf(1))
      const taken = { ...submissionOf(2), key: keyOf(jonas, 'id-1') }
      await opened.verifications.record(taken).catch(() => undefined)
      assertEqual((await readRecorded(opened.log)).length, 1, 'entries')
    },
  ),
  auditCase('AL-04', 'MUST write neither a row nor an entry when recording fails', async (opened) => {
    await opened.verifications.record(submissionOf(1))
    const sameId = { ...submissionOf(1), key: submissionOf(2).key }
    const failed = await opened.verifications.record(sameId).then(
      () => false,
      () => true,
    )
    assertThat(failed, 'a verification id that is taken is refused')
    assertEqual((await readRecorded(opened.log)).length, 1, 'entries')
    assertEqual(await findingsOf(opened.log, opened.harness.seal), [], 'the log is whole')
    await opened.verifications.record(submissionOf(3))
    assertEqual(await findingsOf(opened.log, opened.harness.seal), [], 'and goes on')
  }),
  auditCase('AL-05', 'MUST keep its chains intact when 50 submissions arrive at once', async (opened) => {
    const { log, other, verifications, harness } = opened
    const owners = [maria, jonas, stranger]
    await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        (number % 2 === 0 ? verifications : other.verifications).record(submissionOf(number, owners[number % 3])),
      ),
    )
    assertEqual((await readRecorded(log)).length, 50, 'entries')
    assertEqual(await findingsOf(log, harness.seal), [], 'every link is there')
  }),
  auditCase('AL-06', 'MUST name the newest entry of every chain', async ({ log, verifications }) => {
    for (let number = 0; number < 4; number += 1) await verifications.record(submissionOf(number))
    const newest = new Map((await readAll(log)).map(({ chain, sequence, mac }) => [chain, { chain, sequence, mac }]))
    assertEqual(await log.listHeads(), [...newest.values()], 'the heads, by number of chain')
  }),
  auditCase('AL-07', 'MUST page the entries of a chain in order, without gap or repetition', async (opened) => {
    const { log, verifications, harness } = opened
    for (let number = 0; number < 7; number += 1) await verifications.record(submissionOf(number))
    const chain = harness.seal.chainOf(maria.userId, log.chains)
    const seen: number[] = []
    for (let page = 0; page < 4; page += 1) {
      const entries = await log.listEntries({ chain, after: seen.at(-1) ?? 0, limit: 3 })
      assertThat(
        entries.every((entry) => entry.chain === chain),
        'entries of the chain that was asked for',
      )
      seen.push(...entries.map(({ sequence }) => sequence))
    }
    assertEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8], 'the sequences over all pages')
  }),
  auditCase(
    'AL-08',
    'MUST find for every entry the digest of the row that it recorded',
    async ({ log, verifications }) => {
      for (let number = 0; number < 3; number += 1) await verifications.record(submissionOf(number))
      const entries = await readRecorded(log)
      const rows = await log.findRecorded(entries.map(({ subject }) => subject))
      for (const { subject, contentDigest } of entries)
        assertEqual(rows.get(subject), { digest: contentDigest, erased: false }, 'the digest of a row that is whole')
      assertEqual(new Set(entries.map(({ contentDigest }) => contentDigest)).size, 3, 'other rows, other digests')
    },
  ),
  auditCase('AL-09', 'MUST return no digest for a subject without a row', async ({ log, verifications }) => {
    await verifications.record(submissionOf(1))
    const found = await log.findRecorded([uuid(999), idOf(1)])
    assertEqual([...found.keys()], [idOf(1)], 'the one that is there')
    assertEqual((await log.findRecorded([])).size, 0, 'none asked, none answered')
  }),
  auditCase('AL-10', 'MUST walk every row once, in pages of any size, and find nothing unaccounted', async (opened) => {
    for (let number = 0; number < 5; number += 1) await opened.verifications.record(submissionOf(number))
    const whole = await walkRows(opened.log, 1_000)
    assertThat(whole.examined >= 5, 'every verification is looked at')
    assertEqual(whole.rows, [], 'all are accounted for')
    assertEqual(await walkRows(opened.log, 1), whole, 'the same in small pages')
  }),
  auditCase('AL-11', 'MUST report a verification that was recorded without an entry', async (opened) => {
    await opened.verifications.record(submissionOf(1))
    await recordWithoutLog(opened.harness, 2)
    await opened.verifications.record(submissionOf(3))
    for (const limit of [1, 2, 1_000]) {
      const { rows } = await walkRows(opened.log, limit)
      assertEqual(rows, [`ROW_WITHOUT_ENTRY ${idOf(2)}`], 'that one alone')
    }
  }),
  {
    id: 'AL-12',
    name: 'MUST NOT report rows recorded before the log started',
    async run(harness) {
      await recordWithoutLog(harness, 1, 2)
      const { log, verifications, close } = await harness.open()
      try {
        await verifications.record(submissionOf(3))
        const startedAfter = (await readAll(log)).map(({ kind, subject }) => (kind === 'CHAIN_STARTED' ? subject : ''))
        assertThat(Number(startedAfter[0]) > 0, 'the beginning names the newest row that was there')
        assertEqual(await findingsOf(log, harness.seal), [], 'the log is whole')
        const { rows } = await walkRows(log, 1_000)
        assertEqual(
          new Set(rows),
          new Set([1, 2].map((n) => `ROW_WITHOUT_ENTRY ${idOf(n)}`)),
          'asked for, they are named',
        )
      } finally {
        await close()
      }
    },
  },
  {
    id: 'AL-13',
    name: 'MUST continue its chains when it is opened again',
    async run(harness) {
      for (const number of [1, 2, 3]) {
        const { verifications, close } = await harness.open()
        await verifications.record(submissionOf(number))
        await close()
      }
      const { log, close } = await harness.open()
      try {
        const chain = harness.seal.chainOf(maria.userId, log.chains)
        const entries = await log.listEntries({ chain, after: 0, limit: 10 })
        const subjects = entries.map(({ sequence, subject }) => [sequence, subject])
        assertEqual(
          subjects.slice(1),
          [1, 2, 3].map((n) => [n + 1, idOf(n)]),
          'one chain over all that opened it',
        )
        assertEqual(await findingsOf(log, harness.seal), [], 'the log is whole')
      } finally {
        await close()
      }
    },
  },
]
