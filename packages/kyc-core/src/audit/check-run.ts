import { NO_MAC, type AuditEntry } from './audit-entry.js'
import type { AuditFinding } from './audit-finding.js'
import type { AuditLogName } from './audit-entry.js'
import type { AuditSeal } from './audit-seal.js'

/** How far a chain was checked. */
export interface ChainPlace {
  readonly sequence: number
  /** Null after an entry that is not what was sealed: then its successor's link says nothing. */
  readonly mac: string | null
}

/** Before the first entry. */
export const CHAIN_START: ChainPlace = { sequence: 0, mac: NO_MAC }

/** How far from its place a moved entry is looked for, in entries: bounds the work on a chain that is all wrong. */
const movedWithin = 100

/**
 * Checks entries that follow `place` in their chain, in order of their sequence: nothing missing, each as sealed, each
 * the successor of the one before.
 *
 * @returns where the next run goes on, the findings, and the entries that are as sealed.
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
        ...{ code: 'ENTRIES_REMOVED', log, chain, sequence: expected, toSequence: sequence - 1 },
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

/** The place that an entry was sealed for when only its place is wrong, else null. */
function sealedPlace(log: AuditLogName, entry: AuditEntry, seal: AuditSeal): number | null {
  for (let distance = 1; distance <= movedWithin; distance++) {
    for (const sequence of [entry.sequence - distance, entry.sequence + distance]) {
      if (sequence >= 1 && seal.check(log, { ...entry, sequence }) === 'INTACT') return sequence
    }
  }
  return null
}
