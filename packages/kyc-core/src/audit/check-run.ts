import { NO_MAC, type AuditEntry } from './audit-entry.js'
import type { AuditFinding } from './audit-finding.js'
import type { AuditLogName } from './audit-entry.js'
import type { AuditSeal } from './audit-seal.js'

/** Position up to which a chain was checked. */
export interface ChainPlace {
  readonly sequence: number
  /** Null after an entry with a wrong MAC: the link of the next entry then proves nothing. */
  readonly mac: string | null
}

/** Before the first entry. */
export const CHAIN_START: ChainPlace = { sequence: 0, mac: NO_MAC }

/** Search range for a moved entry, in entries. Bounds the work on a chain with many wrong entries. */
const movedWithin = 100

/**
 * Checks the entries after `place`, ordered by sequence: none is missing, each MAC is right, each follows the previous
 * entry.
 *
 * @returns the position for the next run, the findings, and the entries with a valid MAC.
 */
export function checkRun(
  run: {
    readonly log: AuditLogName
    readonly chain: number
    readonly place: ChainPlace
    readonly entries: readonly AuditEntry[]
  },
  seal: AuditSeal,
): { readonly place: ChainPlace; readonly findings: readonly AuditFinding[]; readonly intact: readonly AuditEntry[] } {
  const { log, chain, entries } = run
  let { place } = run
  const findings: AuditFinding[] = []
  const intact: AuditEntry[] = []

  for (const entry of entries) {
    const { sequence, subject } = entry
    const at = { log, chain, sequence, subject }
    const expected = place.sequence + 1
    if (sequence > expected) {
      findings.push({
        code: 'ENTRIES_REMOVED',
        log,
        chain,
        sequence: expected,
        toSequence: sequence - 1,
        subject: null,
      })
    }
    const verdict = seal.check(log, entry)
    if (verdict === 'INTACT') {
      if (sequence === expected && place.mac !== null && entry.previousMac !== place.mac) {
        findings.push({ code: 'ENTRY_REPLACED', ...at })
      }
      intact.push(entry)
    } else if (verdict === 'KEY_UNKNOWN') findings.push({ code: 'ENTRY_KEY_UNKNOWN', ...at })
    else {
      const sealedFor = sealedPlace(log, entry, seal)
      findings.push(
        sealedFor === null ? { code: 'ENTRY_CHANGED', ...at } : { code: 'ENTRY_MOVED', ...at, toSequence: sealedFor },
      )
    }
    place = { sequence, mac: verdict === 'INTACT' ? entry.mac : null }
  }
  return { place, findings, intact }
}

/** Finds the position that a moved entry was sealed for; null when more than the position is wrong. */
function sealedPlace(log: AuditLogName, entry: AuditEntry, seal: AuditSeal): number | null {
  for (let distance = 1; distance <= movedWithin; distance++) {
    for (const sequence of [entry.sequence - distance, entry.sequence + distance]) {
      if (sequence >= 1 && seal.check(log, { ...entry, sequence }) === 'INTACT') return sequence
    }
  }
  return null
}
