import type { AuditLogName } from './audit-entry.js'

/** What a verification of an audit log can find, with its text. */
export const AUDIT_FINDING_MESSAGES = {
  CHAIN_MISSING: 'The chain is not there: the log was never begun, or all of the chain was removed.',
  ENTRY_CHANGED: 'The entry is not what was sealed: it was changed, or made up.',
  ENTRY_MOVED: 'The entry was sealed for another place of the chain: entries were put in another order.',
  ENTRIES_REMOVED: 'Entries before this one are missing.',
  ENTRY_REPLACED:
    'The entry was sealed as the successor of another one: the chain was put together from two histories.',
  ENTRY_KEY_UNKNOWN: 'The key file lacks the key that the entry was sealed with.',
  CHAIN_CUT_OFF: 'The chain ends before this place: the newest entries were removed, or an older copy was put back.',
  HEAD_DIFFERS: 'The chain does not end as its head says.',
  CHECKPOINT_DIFFERS: 'The entry is another one than the checkpoint witnessed: the chain was written anew.',
  CHECKPOINT_CHANGED: 'The checkpoint is not what was sealed: it was changed, or made up.',
  ROW_DIFFERS: 'The row is not what was recorded: it was changed.',
  ROW_MISSING: 'The row that was recorded is not there: it was removed.',
  ROW_WITHOUT_ENTRY:
    'Nothing was written down about this row: it was put there past the service, or its entry was removed.',
  STATUS_UNFOUNDED: 'No verification gave the user this status.',
  STATUS_MISSING: 'The status that this verification gave the user is not there.',
} as const satisfies Readonly<Record<string, string>>

/** Codes of {@link AUDIT_FINDING_MESSAGES}. */
export type AuditFindingCode = keyof typeof AUDIT_FINDING_MESSAGES

/** One thing that is not as it was written, and where. */
export interface AuditFinding {
  readonly code: AuditFindingCode
  readonly log: AuditLogName
  /** Null for what is in no chain: a row without entry. */
  readonly chain: number | null
  /** Place in the chain; of a missing stretch the first place. */
  readonly sequence: number | null
  /** Last place of a missing stretch, or the place that a moved entry was sealed for. */
  readonly toSequence?: number
  /** What the entry is about, or the id of the row. */
  readonly subject: string | null
}
