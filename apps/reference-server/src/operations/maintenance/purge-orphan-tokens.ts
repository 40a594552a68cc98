import { MAX_TOKEN_AGE_MS, type PiiEraser, type Token, type VerificationStore } from '@kyc-relay/kyc-core'
import type { CheckpointVerdict } from '../audit/checkpoint-comparison.js'

const hourMs = 60 * 60 * 1000

/**
 * Older tokens that no verification refers to are what a crash between vault and record left behind. A token is taken
 * for 24 hours; the hour more is for a submission that was checked just then and is being recorded, and for two clocks
 * that differ.
 */
export const orphanAgeMs = MAX_TOKEN_AGE_MS + hourMs

/** How long a token is in quarantine before it is destroyed: time to notice that the wrong database was asked. */
export const quarantineMs = 30 * 24 * hourMs

/** Quarantining more than one hundredth of the vault in a day is implausible. */
const shareOfVault = 100

/** Most tokens of a vault that are counted, so that counting stays cheap. */
const mostCounted = 1_000_000

const pageSize = 500

const wholePassEveryMs = 24 * hourMs

/** Why a purge did not run: what looks like orphans may be tokens of a database that was restored or mistaken. */
export type PurgeRefusal =
  /** The business database holds no verification, but the vault holds old tokens. */
  | 'BUSINESS_DATABASE_EMPTY'
  /** A checkpoint has witnessed audit entries that the business database does not hold. */
  | 'BUSINESS_DATABASE_BEHIND'
  /** The file of checkpoints is there and cannot be read, so nobody can say whether the database is behind. */
  | 'CHECKPOINTS_UNREADABLE'
  /** More tokens would enter quarantine in a day than `PURGE_TOKENS_PER_DAY` and 1 % of the vault. */
  | 'SHARE_IMPLAUSIBLE'

/** What one run did. After a refusal nothing was quarantined and nothing destroyed. */
export interface PurgeReport {
  readonly examined: number
  readonly restored: number
  readonly quarantined: number
  readonly destroyed: number
  readonly refusal: PurgeRefusal | null
}

/** What {@link createOrphanPurge} works with. */
export interface OrphanPurgeDeps {
  readonly vault: Pick<
    PiiEraser,
    'listOlderThan' | 'quarantine' | 'listQuarantined' | 'restore' | 'destroyQuarantined' | 'countTokens'
  >
  readonly verifications: Pick<VerificationStore, 'findReferencedTokens'>
  /** Whether the business database holds no verification. */
  readonly isBusinessDatabaseEmpty: () => Promise<boolean>
  /** Holds the audit log of the business database against its checkpoints. */
  readonly compareCheckpoints: () => Promise<CheckpointVerdict>
  /** Most tokens that may enter quarantine in a day although they are more than 1 % of the vault. */
  readonly mostInADay: number
  /** Milliseconds that never run backwards. */
  readonly nowMs: () => number
}

/**
 * One run of the purge.
 *
 * @param shouldContinue Asked before each page; what is left then is found by the next run.
 * @param onExamined Told how many tokens were looked at so far, after each page.
 */
export type PurgeOrphanTokens = (
  shouldContinue?: () => boolean,
  onExamined?: (examined: number) => void,
) => Promise<PurgeReport>

/**
 * Quarantines tokens that are older than 25 hours and that no verification refers to, and destroys them after 30 days in
 * quarantine. A submission with a token older than 24 hours is refused, so none of them can become referred to by a new
 * submission. A token in quarantine that a verification refers to, as after the right database was restored, is
 * restored at each run, also when the run refuses to do anything else.
 *
 * Each run goes on where the one before ended. Once a day, first of all, and after a refusal a run begins with the oldest
 * token: what was found referred to may be so no more in a database that was restored.
 */
export function createOrphanPurge(deps: OrphanPurgeDeps): PurgeOrphanTokens {
  const { vault, verifications } = deps
  let after: Token | undefined
  let wholePassAtMs = -Infinity

  /** Pages of a list of tokens, each with those of them that a verification refers to. */
  async function* pagesOf(
    list: (after: Token | undefined) => Promise<readonly Token[]>,
    start: Token | undefined,
    shouldContinue: () => boolean,
  ) {
    let last = start
    while (shouldContinue()) {
      const page = await list(last)
      const referenced = await verifications.findReferencedTokens(page)
      yield { page, referenced, orphans: page.filter((token) => !referenced.has(token)) }
      last = page.at(-1) ?? last
      if (page.length < pageSize) return
    }
  }

  const quarantinedFor = (ageMs: number) => (after: Token | undefined) =>
    vault.listQuarantined({ ageMs, limit: pageSize, ...(after === undefined ? {} : { after }) })
  const olderTokens = (after: Token | undefined) =>
    vault.listOlderThan({ ageMs: orphanAgeMs, limit: pageSize, ...(after === undefined ? {} : { after }) })

  async function restoreReferenced(shouldContinue: () => boolean): Promise<number> {
    const referred: Token[] = []
    for await (const { referenced } of pagesOf(quarantinedFor(-1), undefined, shouldContinue))
      referred.push(...referenced)
    let restored = 0
    for (const some of slices(referred)) restored += await vault.restore(some)
    return restored
  }

  async function destroyOld(shouldContinue: () => boolean): Promise<number> {
    const old: Token[] = []
    for await (const { orphans } of pagesOf(quarantinedFor(quarantineMs), undefined, shouldContinue))
      old.push(...orphans)
    let destroyed = 0
    for (const tokens of slices(old)) {
      if (!shouldContinue()) break
      destroyed += await vault.destroyQuarantined({ tokens, ageMs: quarantineMs })
    }
    return destroyed
  }

  /** Null where the database can be trusted to say what is referred to, or where nothing is there to be purged. */
  async function refusalOfDatabase(): Promise<PurgeRefusal | null> {
    const [oldest] = await vault.listOlderThan({ ageMs: orphanAgeMs, limit: 1 })
    const [held] = await vault.listQuarantined({ ageMs: -1, limit: 1 })
    if (oldest === undefined && held === undefined) return null
    if (await deps.isBusinessDatabaseEmpty()) return 'BUSINESS_DATABASE_EMPTY'
    const verdict = await deps.compareCheckpoints()
    if (verdict === 'UNREADABLE') return 'CHECKPOINTS_UNREADABLE'
    return verdict === 'BEHIND' ? 'BUSINESS_DATABASE_BEHIND' : null
  }

  /** How many tokens may enter quarantine in a day, if `asked` want to. */
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
    // All orphans are counted before the first is touched: a database that knows only some tokens shows as a whole.
    const { quarantinedInADay } = await vault.countTokens({ limit: 1 })
    const most = Math.max(deps.mostInADay, mostCounted / shareOfVault)
    const orphans = new Set<Token>()
    let lastReferenced = after
    let isWhole = false
    for await (const { page, ...found } of pagesOf(olderTokens, after, shouldContinue)) {
      for (const token of found.orphans) orphans.add(token)
      report.examined += page.length
      onExamined(report.examined)
      lastReferenced = page.findLast((token) => found.referenced.has(token)) ?? lastReferenced
      isWhole = page.length < pageSize
      if (orphans.size + quarantinedInADay > most) return refuse('SHARE_IMPLAUSIBLE')
    }
    // The server stops: how many there are is not known yet.
    if (!isWhole) return { ...report, refusal: null }

    const asked = orphans.size + quarantinedInADay
    const allowed = await allowedInADay(asked)
    if (asked > allowed) return refuse('SHARE_IMPLAUSIBLE')
    for (const tokens of slices([...orphans])) {
      const entered = await vault.quarantine({ tokens, mostInADay: allowed })
      // Another process has used up the day meanwhile.
      if (entered === null) return refuse('SHARE_IMPLAUSIBLE')
      report.quarantined += entered
    }
    // The place in the list is that of a token that is still in use.
    after = lastReferenced
    report.destroyed = await destroyOld(shouldContinue)
    return { ...report, refusal: null }
  }
}

function slices(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const count = Math.ceil(tokens.length / pageSize)
  return Array.from({ length: count }, (_, index) => tokens.slice(index * pageSize, (index + 1) * pageSize))
}
