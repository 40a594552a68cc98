import type { AuditEvent, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { UserRetention } from '../user-retention/user-retention.js'

type RequestOf<Method extends keyof UserRetention> = Parameters<UserRetention[Method]>[0]

// A reason is in the digest only: it is free text, and can name people.

function holdEvent(kind: 'LEGAL_HOLD_PLACED' | 'LEGAL_HOLD_RELEASED') {
  return (seal: AuditSeal, { userId, actor, reason }: RequestOf<'hold'>, atMs: number): AuditEvent => {
    const contentDigest = seal.digest([userId, actor, reason])
    return { kind, atMs, appId: null, userId, subject: actor, contentDigest }
  }
}

/** Creates the entry for a legal hold, or for its new reason. */
export const holdPlacedEvent = holdEvent('LEGAL_HOLD_PLACED')

/** Creates the entry for the release of a legal hold. */
export const holdReleasedEvent = holdEvent('LEGAL_HOLD_RELEASED')

/** Creates the entry for a closed account, or for one that is open again. */
export function userClosedEvent(
  seal: AuditSeal,
  { userId, closedAt, actor }: RequestOf<'close'>,
  atMs: number,
): AuditEvent {
  const subject = closedAt === null ? 'open' : closedAt.toISOString()
  const contentDigest = seal.digest([userId, closedAt?.getTime() ?? null, actor])
  return { kind: 'USER_CLOSED', atMs, appId: null, userId, subject, contentDigest }
}

/** Creates the entry for the confirmation of a report of users whose retention time is over. */
export function reportConfirmedEvent(
  seal: AuditSeal,
  { reportId, actor, reason }: RequestOf<'recordConfirmedReport'>,
  atMs: number,
): AuditEvent {
  const contentDigest = seal.digest([reportId, actor, reason])
  return { kind: 'RETENTION_REPORT_CONFIRMED', atMs, appId: null, userId: null, subject: reportId, contentDigest }
}

/** Creates the entry for the start of a user's erasure in all apps. */
export function erasureStartedEvent(
  seal: AuditSeal,
  { userId, erasureId, actor, reason }: RequestOf<'startErasure'>,
  atMs: number,
): AuditEvent {
  const contentDigest = seal.digest([userId, erasureId, actor, reason])
  return { kind: 'ERASURE_STARTED', atMs, appId: null, userId, subject: actor, contentDigest }
}
