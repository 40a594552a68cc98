import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'

/** Adds who acted, and why, to an event. */
export function actedBy(event: AuditEvent, actor: AuditActor | undefined): AuditEvent {
  return actor === undefined ? event : { ...event, actor: actor.name, reason: actor.reason }
}
