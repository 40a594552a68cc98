import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import { rowDigestOf, type StoredRetention } from './access-rows.js'
import type { UserRetention } from '../user-retention/user-retention.js'

type RequestOf<Method extends keyof UserRetention> = Parameters<UserRetention[Method]>[0]

/** Creates the entry for a legal hold, or for its new reason. @param row The row afterwards. */
export function holdPlacedEvent(seal: AuditSeal, row: StoredRetention, atMs: number): AuditEvent {
  const { userId } = row
  const contentDigest = rowDigestOf.hold(seal, row)
  return { kind: 'LEGAL_HOLD_PLACED', atMs, appId: null, userId, subject: userId, contentDigest }
}

/** Creates the entry for the release of a legal hold. */
export function holdReleasedEvent(seal: AuditSeal, userId: string, atMs: number): AuditEvent {
  const contentDigest = seal.digest([userId])
  return { kind: 'LEGAL_HOLD_RELEASED', atMs, appId: null, userId, subject: userId, contentDigest }
}

/** Creates the entry for a closed account, or for one that is open again. */
export function userClosedEvent(seal: AuditSeal, { userId, closedAt }: RequestOf<'close'>, atMs: number): AuditEvent {
  const subject = closedAt === null ? 'open' : closedAt.toISOString()
  const contentDigest = rowDigestOf.closure(seal, { userId, closedAt, heldAt: null, holdReason: null })
  return { kind: 'USER_CLOSED', atMs, appId: null, userId, subject, contentDigest }
}

/** Creates the entry for the confirmation of a report of users whose retention time is over. */
export function reportConfirmedEvent(seal: AuditSeal, reportId: string, atMs: number): AuditEvent {
  const contentDigest = seal.digest([reportId])
  return { kind: 'RETENTION_REPORT_CONFIRMED', atMs, appId: null, userId: null, subject: reportId, contentDigest }
}

/** Creates the entry for the start of a user's erasure in all apps. */
export function erasureStartedEvent(
  seal: AuditSeal,
  { userId, erasureId }: RequestOf<'startErasure'>,
  atMs: number,
): AuditEvent {
  const contentDigest = seal.digest([userId, erasureId])
  return { kind: 'ERASURE_STARTED', atMs, appId: null, userId, subject: erasureId, contentDigest }
}
