import { checkArgument, hasMethods, isObject } from '../check-argument.js'
import type { AuditEntry, AuditHead, AuditKind } from './audit-entry.js'
import type { AuditFinding } from './audit-finding.js'
import type { AuditLog } from './audit-log.js'
import type { AuditSeal, SealedCheckpoint } from './audit-seal.js'
import { compareAccess } from './access-comparison.js'
import { createAccessState } from './access-state.js'
import { CHAIN_START, checkRun, type ChainPlace } from './check-run.js'

/** Options of {@link verifyAuditLog}. */
export interface AuditVerification {
  readonly log: AuditLog
  readonly seal: AuditSeal
  /** Checkpoints to compare with. Load them before the call. Checkpoints of other logs are ignored. */
  readonly checkpoints: readonly SealedCheckpoint[]
  /** Called for each finding at once, in the order found. */
  readonly onFinding: (finding: AuditFinding) => void
  /** Called after each page. `total` is the number of entries at the start. */
  readonly onProgress?: (progress: { readonly entries: number; readonly total: number; readonly rows: number }) => void
  /** Entries or rows in one page, 1–1000. Default 500. */
  readonly pageSize?: number
}

/** @throws KycError `ARGUMENT_INVALID` */
function checkVerification(verification: AuditVerification): void {
  checkArgument(isObject(verification))
  const { log, seal, checkpoints, onFinding, onProgress = () => undefined, pageSize = 500 } = verification
  checkArgument(hasMethods(log, 'listHeads', 'listEntries', 'findRecorded', 'listUnaccounted'))
  checkArgument(hasMethods(seal, 'check', 'checkCheckpoint') && Array.isArray(checkpoints))
  checkArgument(checkpoints.every(isObject))
  checkArgument(typeof onFinding === 'function' && typeof onProgress === 'function')
  checkArgument(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= 1000)
}

/** Counts of one verification run. */
export interface AuditReport {
  /** Start of the log, in milliseconds since 1970, UTC; null when its first entry is missing. */
  readonly startedAtMs: number | null
  readonly entries: number
  /** Number of rows compared with their entries. */
  readonly rows: number
  /** Number of valid checkpoints of this log. With 0, removed newest entries cannot be detected. */
  readonly checkpoints: number
  readonly findings: number
}

const kindsWithRow: ReadonlySet<AuditKind> = new Set<AuditKind>(['VERIFICATION_RECORDED', 'VALUE_REVEALED'])

/**
 * Verifies one audit log against its key, its rows and the checkpoints, page by page. Writes nothing; the service may
 * keep writing meanwhile.
 *
 * It finds entries that were changed, removed, moved or inserted, rows that differ from their entries, and rows without
 * an entry. Rows are verifications, reveals, apps, API keys, access tokens, grants and their revocations, endpoints with
 * their pauses, corrections of a KYC status, legal holds and closures of accounts. Only checkpoints reveal that the newest
 * entries were removed or that an older copy of the database was restored.
 *
 * @throws KycError `ARGUMENT_INVALID` for an argument that is missing or of another type, or a `pageSize` out of range
 *
 * @example
 * ```ts
 * import { verifyAuditLog, type AuditFinding, type AuditLog, type AuditSeal } from '@kyc-relay/kyc-core/audit'
 *
 * export async function listFindings(log: AuditLog, seal: AuditSeal) {
 *   const findings: AuditFinding[] = []
 *   await verifyAuditLog({ log, seal, checkpoints: [], onFinding: (finding) => findings.push(finding) })
 *   return findings
 * }
 * ```
 */
export async function verifyAuditLog(verification: AuditVerification): Promise<AuditReport> {
  checkVerification(verification)
  const { log, seal, pageSize = 500 } = verification
  const report = { startedAtMs: null as number | null, entries: 0, rows: 0, checkpoints: 0, findings: 0 }
  const find = (finding: AuditFinding): void => {
    report.findings += 1
    verification.onFinding(finding)
  }

  const checkpoints = intactCheckpoints(verification, find)
  report.checkpoints = checkpoints.length
  const heads = await log.listHeads()
  const total = heads.reduce((sum, { sequence }) => sum + sequence, 0)
  const tell = (): void => verification.onProgress?.({ entries: report.entries, total, rows: report.rows })
  /** Rows up to this position are older than the log. */
  let startedAfter = 0

  /** Erased rows of each owner whose erasure was not read yet. */
  const unexplained = new Map<string, Omit<AuditFinding, 'code'>[]>()

  /** An erasure explains the erased rows that were recorded before it. */
  function explainErased(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      const rows = unexplained.get(ownerOf(entry))
      if (entry.kind !== 'USER_ERASED' || rows === undefined) continue
      unexplained.set(
        ownerOf(entry),
        rows.filter(({ sequence }) => (sequence ?? 0) > entry.sequence),
      )
    }
  }

  async function compareRows(entries: readonly AuditEntry[]): Promise<void> {
    const recorded = entries.filter(({ kind }) => kindsWithRow.has(kind))
    if (recorded.length === 0) return
    const rows = await log.findRecorded(recorded.map(({ subject }) => subject))
    for (const entry of recorded) {
      const { chain, sequence, subject, contentDigest } = entry
      const row = rows.get(subject)
      const at = { log: log.name, chain, sequence, subject }
      if (row === undefined) find({ code: 'ROW_MISSING', ...at })
      else if (row.digest !== contentDigest) find({ code: 'ROW_DIFFERS', ...at })
      else if (row.erased) unexplained.set(ownerOf(entry), [...(unexplained.get(ownerOf(entry)) ?? []), at])
    }
    report.rows += recorded.length
  }

  const access = createAccessState()
  const places = new Map<number, ChainPlace>()

  async function verifyChain(chain: number, head: AuditHead | null): Promise<void> {
    const name = log.name
    const checkpointMacs = new Map<number, Set<string>>()
    for (const one of checkpoints) {
      if (one.chain === chain)
        checkpointMacs.set(one.sequence, (checkpointMacs.get(one.sequence) ?? new Set()).add(one.mac))
    }
    let place = CHAIN_START
    for (let isLast = false; ;) {
      const entries = await log.listEntries({ chain, after: place.sequence, limit: pageSize })
      const checked = checkRun({ log: name, chain, place, entries }, seal)
      place = checked.place
      checked.findings.forEach(find)
      for (const { sequence, mac, subject } of entries) {
        const macs = checkpointMacs.get(sequence)
        if (macs !== undefined && (macs.size > 1 || !macs.has(mac))) {
          find({ code: 'CHECKPOINT_DIFFERS', log: name, chain, sequence, subject })
        }
        if (head?.sequence === sequence && head.mac !== mac) {
          find({ code: 'HEAD_DIFFERS', log: name, chain, sequence, subject })
        }
      }
      for (const { kind, subject, atMs } of checked.intact) {
        if (kind !== 'CHAIN_STARTED') continue
        startedAfter = Number(subject)
        report.startedAtMs = atMs
      }
      // Rows of the last look are newer than the verification: the entry of their erasure might not be read.
      if (!isLast) await compareRows(checked.intact)
      explainErased(checked.intact)
      access.read(checked.intact)
      report.entries += entries.length
      tell()
      if (entries.length === pageSize) continue
      // A user may have been erased after the last entries were read, and before their rows were.
      if (isLast || unexplained.size === 0) break
      isLast = true
    }
    for (const rows of unexplained.values()) for (const at of rows) find({ code: 'ERASED_WITHOUT_ENTRY', ...at })
    unexplained.clear()
    places.set(chain, place)
    const known = Math.max(head?.sequence ?? 0, ...checkpointMacs.keys())
    if (place.sequence === 0) find({ code: 'CHAIN_MISSING', log: name, chain, sequence: null, subject: null })
    else if (head === null) find({ code: 'HEAD_DIFFERS', log: name, chain, sequence: place.sequence, subject: null })
    if (place.sequence < known) {
      const missing = { sequence: place.sequence + 1, toSequence: known }
      find({ code: 'CHAIN_CUT_OFF', log: name, chain, ...missing, subject: null })
    }
  }

  for (let chain = 0; chain < log.chains; chain++) {
    await verifyChain(chain, heads.find((head) => head.chain === chain) ?? null)
  }
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<AuditLog['listUnaccounted']>> = await log.listUnaccounted({
      startedAfter,
      cursor,
      limit: pageSize,
    })
    for (const { code, subject } of page.rows) find({ code, log: log.name, chain: null, sequence: null, subject })
    report.rows += page.examined
    tell()
    cursor = page.nextCursor
  } while (cursor !== null)
  const onPage = (rows: number): void => {
    report.rows += rows
    tell()
  }
  for (const finding of await compareAccess({ log, access, places, pageSize, onPage })) find(finding)
  return report
}

const ownerOf = ({ appId, userId }: AuditEntry) => JSON.stringify([appId, userId])

function intactCheckpoints(
  { log, seal, checkpoints }: AuditVerification,
  find: (finding: AuditFinding) => void,
): readonly SealedCheckpoint[] {
  return checkpoints.filter((checkpoint) => {
    if (checkpoint.log !== log.name) return false
    if (seal.checkCheckpoint(checkpoint) === 'INTACT') return true
    const { chain, sequence } = checkpoint
    find({ code: 'CHECKPOINT_CHANGED', log: log.name, chain, sequence, subject: null })
    return false
  })
}
