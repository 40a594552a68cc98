import type { AuditEntry, AuditLog } from '@kyc-relay/kyc-core/audit'

/** Next entry of each chain, downwards. */
export type AuditPlace = readonly (readonly [chain: number, sequence: number])[]

/** Entries that a page examines at most. */
const mostExamined = 2_000
const batchSize = 200

/**
 * Lists entries of all chains of a log, newest first. Within a chain the order is that of the sequence. A page may be
 * short: at most 2,000 entries are examined. `place` is null on the first page, and `next` on the last one.
 */
export async function listAuditEntries(
  log: Pick<AuditLog, 'listHeads' | 'listEntries'>,
  page: {
    readonly place: AuditPlace | null
    readonly isWanted: (entry: AuditEntry) => boolean
    readonly limit: number
  },
): Promise<{ readonly items: readonly AuditEntry[]; readonly next: AuditPlace | null }> {
  const asked = page.place === null ? null : new Map(page.place)
  // A cursor can name chains and entries that do not exist.
  const place = new Map(
    (await log.listHeads()).map(({ chain, sequence }) => [
      chain,
      asked === null ? sequence : Math.min(sequence, asked.get(chain) ?? 0),
    ]),
  )
  const items: AuditEntry[] = []
  let examined = 0
  while (items.length < page.limit && examined < mostExamined && hasMore(place)) {
    const batch = await readBatch(log, place)
    if (batch.length === 0) examined += batchSize
    for (const entry of batch) {
      if (items.length === page.limit) break
      place.set(entry.chain, entry.sequence - 1)
      examined += 1
      if (page.isWanted(entry)) items.push(entry)
    }
  }
  return { items, next: hasMore(place) ? [...place] : null }
}

function hasMore(place: ReadonlyMap<number, number>): boolean {
  return [...place.values()].some((sequence) => sequence > 0)
}

/**
 * Reads the next entries of every chain and merges them by time: as many as any single chain may have to give. Moves the
 * place of a chain below entries that are missing.
 */
async function readBatch(
  log: Pick<AuditLog, 'listEntries'>,
  place: Map<number, number>,
): Promise<readonly AuditEntry[]> {
  const perChain = await Promise.all(
    [...place].map(async ([chain, sequence]) => {
      if (sequence === 0) return []
      const after = Math.max(0, sequence - batchSize)
      const listed = await log.listEntries({ chain, after, limit: sequence - after })
      // Where entries are missing, the log fills the page with entries above the place, which were listed before.
      const entries = listed.filter((entry) => entry.sequence <= sequence)
      if (entries.length === 0) place.set(chain, after)
      return entries.reverse()
    }),
  )
  const merged: AuditEntry[] = []
  const next = perChain.map(() => 0)
  while (merged.length < batchSize) {
    const heads = perChain.map((entries, index) => entries[next[index] ?? 0])
    const newest = heads.reduce<number | null>((best, head, index) => {
      if (head === undefined) return best
      const current = best === null ? undefined : heads[best]
      return current === undefined || head.atMs > current.atMs ? index : best
    }, null)
    const entry = newest === null ? undefined : heads[newest]
    if (newest === null || entry === undefined) break
    merged.push(entry)
    next[newest] = (next[newest] ?? 0) + 1
  }
  return merged
}
