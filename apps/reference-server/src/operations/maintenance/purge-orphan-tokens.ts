import { setImmediate as nextTurn } from 'node:timers/promises'
import { type OwnedToken, type PiiEraser, type VerificationStore } from '@kyc-relay/kyc-core'
import { MAX_TOKEN_AGE_MS } from '@kyc-relay/kyc-core/internal'
import type { CheckpointVerdict } from '../audit/checkpoint-comparison.js'

const hourMs = 60 * 60 * 1000

/**
 * Minimum age of an orphan token. A crash between vault and record leaves tokens without a verification. A token is
 * accepted for 24 hours; one more hour allows for a submission in progress and for clock differences.
 */
export const orphanAgeMs = MAX_TOKEN_AGE_MS + hourMs

/** Time in quarantine before a token is destroyed: time to notice that the wrong database was used. */
export const quarantineMs = 30 * 24 * hourMs

/** Quarantining more than 1 % of the vault in a day is implausible. */
const shareOfVault = 100

/** Counts at most this number of tokens, to limit the cost. */
const mostCounted = 1_000_000

const pageSize = 500

const wholePassEveryMs = 24 * hourMs

/** Reasons why a purge refuses to run: the orphans may be tokens of a restored or wrong database. */
export type PurgeRefusal =
  /** The business database has no verifications, but the vault has old tokens. */
  | 'BUSINESS_DATABASE_EMPTY'
  /** The business database lacks audit entries of a checkpoint. */
  | 'BUSINESS_DATABASE_BEHIND'
  /** The file of checkpoints cannot be read, so the database cannot be compared with it. */
  | 'CHECKPOINTS_UNREADABLE'
  /** More tokens would enter quarantine in a day than `PURGE_TOKENS_PER_DAY` and 1 % of the vault. */
  | 'SHARE_IMPLAUSIBLE'

/** Result of one run. A refused run quarantines and destroys nothing. */
export interface PurgeReport {
  readonly examined: number
  readonly restored: number
  readonly quarantined: number
  readonly destroyed: number
  readonly refusal: PurgeRefusal | null
}

/** Dependencies of {@link createOrphanPurge}. */
export interface OrphanPurgeDeps {
  readonly vault: Pick<
    PiiEraser,
    'listOlderThan' | 'quarantine' | 'listQuarantined' | 'restore' | 'destroyQuarantined' | 'countTokens'
  >
  readonly verifications: Pick<VerificationStore, 'findReferencedTokens'>
  /** Checks whether the business database has no verifications. */
  readonly isBusinessDatabaseEmpty: () => Promise<boolean>
  /** Compares the audit log of the business database with its checkpoints. */
  readonly compareCheckpoints: () => Promise<CheckpointVerdict>
  /** Most tokens that may enter quarantine in a day, even if this exceeds 1 % of the vault. */
  readonly mostInADay: number
  /** Monotonic clock, in milliseconds. */
  readonly nowMs: () => number
}

/**
 * Runs the purge once.
 *
 * @param shouldContinue Called before each page. The next run handles the rest.
 * @param onExamined Called after each page with the number of examined tokens.
 */
export type PurgeOrphanTokens = (
  shouldContinue?: () => boolean,
  onExamined?: (examined: number) => void,
) => Promise<PurgeReport>

/**
 * Creates the purge. It quarantines tokens older than 25 hours without a verification, and destroys them after 30 days
 * in quarantine. Submissions with a token older than 24 hours are refused, so no new submission can refer to them. Each
 * run, even a refused one, restores quarantined tokens that a verification refers to, for example after the right
 * database was restored.
 *
 * Each run continues after the previous one. The first run, one run each day, and the run after a refusal start with
 * the oldest token: a restored database may no longer refer to tokens that were in use.
 */
export function createOrphanPurge(deps: OrphanPurgeDeps): PurgeOrphanTokens {
  const { vault, verifications } = deps
  let after: OwnedToken | undefined
  let wholePassAtMs = -Infinity

  /** Reads pages of tokens, each with those that a verification refers to. */
  async function* pagesOf(
    list: (after: OwnedToken | undefined) => Promise<readonly OwnedToken[]>,
    start: OwnedToken | undefined,
    shouldContinue: () => boolean,
  ) {
    let last = start
    while (shouldContinue()) {
      // SQLite reads without ending the turn, so no request would be answered before the last page.
      await nextTurn()
      const page = await list(last)
      const known = await verifications.findReferencedTokens(page)
      const referenced = page.filter(({ token }) => known.has(token))
      yield { page, referenced, orphans: page.filter(({ token }) => !known.has(token)) }
      last = page.at(-1) ?? last
      if (page.length < pageSize) return
    }
  }

  const quarantinedFor = (ageMs: number) => (after: OwnedToken | undefined) =>
    vault.listQuarantined({ ageMs, limit: pageSize, ...(after === undefined ? {} : { after }) })
  const olderTokens = (after: OwnedToken | undefined) =>
    vault.listOlderThan({ ageMs: orphanAgeMs, limit: pageSize, ...(after === undefined ? {} : { after }) })

  async function restoreReferenced(shouldContinue: () => boolean): Promise<number> {
    const referred: OwnedToken[] = []
    for await (const { referenced } of pagesOf(quarantinedFor(-1), undefined, shouldContinue))
      referred.push(...referenced)
    let restored = 0
    for (const some of slices(referred)) restored += await vault.restore(some)
    return restored
  }

  async function destroyOld(shouldContinue: () => boolean): Promise<number> {
    const old: OwnedToken[] = []
    for await (const { orphans } of pagesOf(quarantinedFor(quarantineMs), undefined, shouldContinue))
      old.push(...orphans)
    let destroyed = 0
    for (const tokens of slices(old)) {
      if (!shouldContinue()) break
      destroyed += await vault.destroyQuarantined({ tokens, ageMs: quarantineMs })
    }
    return destroyed
  }

  /** Returns the reason to refuse a run; null when the database can be trusted. */
  async function refusalOfDatabase(): Promise<PurgeRefusal | null> {
    const [oldest] = await vault.listOlderThan({ ageMs: orphanAgeMs, limit: 1 })
    const [held] = await vault.listQuarantined({ ageMs: -1, limit: 1 })
    const mayPurge = oldest !== undefined || held !== undefined
    if (mayPurge && (await deps.isBusinessDatabaseEmpty())) return 'BUSINESS_DATABASE_EMPTY'
    // Also without tokens to purge: an operator learns of a wrong database at the first start.
    const verdict = await deps.compareCheckpoints()
    if (verdict === 'UNREADABLE') return 'CHECKPOINTS_UNREADABLE'
    return verdict === 'BEHIND' ? 'BUSINESS_DATABASE_BEHIND' : null
  }

  /** Computes how many tokens may enter quarantine in a day. */
  async function allowedInADay(asked: number): Promise<number> {
    if (asked <= deps.mostInADay) return deps.mostInADay
    const { tokens } = await vault.countTokens({ limit: Math.min(mostCounted, asked * shareOfVault) })
    return Math.max(deps.mostInADay, Math.floor(tokens / shareOfVault))
  }

  return async (shouldContinue = () => true, onExamined = () => undefined) => {
    const report = { examined: 0, restored: 0, quarantined: 0, destroyed: 0 }
    report.restored = await restoreReferenced(shouldContinue)

    const refuse = (refusal: PurgeRefusal): PurgeReport => {
      after = undefined
      return { ...report, refusal }
    }
    const refusal = await refusalOfDatabase()
    if (refusal !== null) return refuse(refusal)

    const atMs = deps.nowMs()
    if (atMs - wholePassAtMs >= wholePassEveryMs) {
      after = undefined
      wholePassAtMs = atMs
    }
    // Counts all orphans before the first change, to detect a database that knows only some tokens.
    const { quarantinedInADay } = await vault.countTokens({ limit: 1 })
    const most = Math.max(deps.mostInADay, mostCounted / shareOfVault)
    const orphans = new Map<string, OwnedToken>()
    let lastReferenced = after
    let isWhole = false
    for await (const { page, ...found } of pagesOf(olderTokens, after, shouldContinue)) {
      for (const orphan of found.orphans) orphans.set(orphan.token, orphan)
      report.examined += page.length
      onExamined(report.examined)
      lastReferenced = found.referenced.at(-1) ?? lastReferenced
      isWhole = page.length < pageSize
      if (orphans.size + quarantinedInADay > most) return refuse('SHARE_IMPLAUSIBLE')
    }
    // The server stops before all orphans are counted.
    if (!isWhole) return { ...report, refusal: null }

    const asked = orphans.size + quarantinedInADay
    const allowed = await allowedInADay(asked)
    if (asked > allowed) return refuse('SHARE_IMPLAUSIBLE')
    for (const tokens of slices([...orphans.values()])) {
      const entered = await vault.quarantine({ tokens, mostInADay: allowed })
      // Another process has used the daily limit meanwhile.
      if (entered === null) return refuse('SHARE_IMPLAUSIBLE')
      report.quarantined += entered
    }
    // Continues after a token that is still in use.
    after = lastReferenced
    report.destroyed = await destroyOld(shouldContinue)
    return { ...report, refusal: null }
  }
}

function slices(tokens: readonly OwnedToken[]): readonly (readonly OwnedToken[])[] {
  const count = Math.ceil(tokens.length / pageSize)
  return Array.from({ length: count }, (_, index) => tokens.slice(index * pageSize, (index + 1) * pageSize))
}
