// Why: a list of audit entries must end, and show only what the log holds, whatever cursor or damaged log it meets.
import type { AuditEntry } from '@kyc-relay/kyc-core/audit'
import { describe, expect, it } from 'vitest'
import { listAuditEntries, type AuditPlace } from '../../src/operator-api/audit-entries.js'

const entryOf = (chain: number, sequence: number) => ({ chain, sequence, atMs: sequence * 10 + chain }) as AuditEntry

/** A log with chains of this many entries, without those that were removed from it. */
function logOf(lengths: readonly number[], isRemoved: (chain: number, sequence: number) => boolean = () => false) {
  let reads = 0
  return {
    listHeads: async () => lengths.map((sequence, chain) => ({ chain, sequence, mac: '' })),
    async listEntries({ chain, after, limit }: { chain: number; after: number; limit: number }) {
      reads += 1
      if (reads > 1_000) throw new Error('the list does not end')
      const all = Array.from({ length: lengths[chain] ?? 0 }, (_, index) => entryOf(chain, index + 1))
      return all.filter(({ sequence }) => sequence > after && !isRemoved(chain, sequence)).slice(0, limit)
    },
  }
}

async function readAll(log: ReturnType<typeof logOf>, start: AuditPlace | null, limit = 50) {
  const seen: string[] = []
  let place = start
  do {
    const page = await listAuditEntries(log, { place, isWanted: () => true, limit })
    seen.push(...page.items.map(({ chain, sequence }) => `${chain}.${sequence}`))
    place = page.next
  } while (place !== null)
  return seen
}

describe('the list of audit entries', () => {
  it('reaches every entry, newest first', async () => {
    const seen = await readAll(logOf([3, 2]), null, 2)
    expect(seen).toEqual(['0.3', '1.2', '0.2', '1.1', '0.1'])
  })

  it('goes on below entries that were removed', async () => {
    const log = logOf([700, 3], (chain, sequence) => chain === 0 && sequence > 100)
    expect(await readAll(log, null)).toEqual([
      ...['1.3', '1.2', '1.1'],
      ...Array.from({ length: 100 }, (_, index) => `0.${100 - index}`),
    ])
  })

  it('repeats no entry from above those that were removed', async () => {
    const log = logOf([702], (_chain, sequence) => sequence > 100 && sequence <= 700)
    const rest = [702, 701, ...Array.from({ length: 100 }, (_, index) => 100 - index)]
    expect(await readAll(log, null)).toEqual(rest.map((sequence) => `0.${sequence}`))
  })

  it('ends after a cursor that names chains and entries that do not exist', async () => {
    const place = [
      [7, 5_000],
      [3_000_000_000, 1],
      [1, Number.MAX_SAFE_INTEGER],
    ] as const
    expect(await readAll(logOf([3, 2]), place)).toEqual(['1.2', '1.1'])
  })
})
