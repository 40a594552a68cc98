import { accessNamesOf, type AccessState } from './access-state.js'
import type { AuditFinding } from './audit-finding.js'
import type { AuditLog } from './audit-log.js'
import type { ChainPlace } from './check-run.js'

interface AccessComparison {
  readonly log: AuditLog
  /** What the entries say that were read. */
  readonly access: AccessState
  /** Last read place of each chain. */
  readonly places: ReadonlyMap<number, ChainPlace>
  readonly pageSize: number
  /** Called after each page with its number of rows. */
  readonly onPage: (rows: number) => void
}

/** Compares apps, keys, tokens, grants, endpoints, corrections, holds and closures with their entries. */
export async function compareAccess(comparison: AccessComparison): Promise<readonly AuditFinding[]> {
  const { log, access, pageSize } = comparison
  if (log.listAccess === undefined) return []
  const findings: AuditFinding[] = []
  const differ = (code: AuditFinding['code'], subject: string) =>
    findings.push({ code, subject, log: log.name, chain: null, sequence: null })
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<NonNullable<AuditLog['listAccess']>>> = await log.listAccess({
      cursor,
      limit: pageSize,
    })
    for (const row of page.rows) {
      const code = access.compare(row)
      if (code !== null) differ(code, row.name)
    }
    comparison.onPage(page.rows.length)
    cursor = page.nextCursor
  } while (cursor !== null)
  for (const subject of access.missing()) differ('ROW_MISSING', subject)
  if (findings.length === 0) return []
  const changed = await namesChangedSince(comparison)
  return findings.filter(({ subject }) => subject === null || !changed.has(subject))
}

/** Lists the names of rows with entries that were written during the verification. */
async function namesChangedSince({ log, places, pageSize }: AccessComparison): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const [chain, { sequence }] of places) {
    for (let after = sequence; ;) {
      const entries = await log.listEntries({ chain, after, limit: pageSize })
      for (const entry of entries) accessNamesOf(entry).forEach((name) => names.add(name))
      if (entries.length < pageSize) break
      after = entries.at(-1)?.sequence ?? after
    }
  }
  return names
}
