import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { UserRecords } from '../user-records/user-records.js'

/** Creates the entry for a list of values that users of an app share. */
export function duplicatesListedEvent(
  seal: AuditSeal,
  { appId, skip, limit }: { readonly appId: string; readonly skip: number; readonly limit: number },
  atMs: number,
): AuditEvent {
  const contentDigest = seal.digest([appId, skip, limit])
  return { kind: 'DUPLICATES_LISTED', atMs, appId, userId: null, subject: String(skip), contentDigest }
}

/** Creates the entry for the start or the end of an export. */
export function exportEvent(
  seal: AuditSeal,
  { userId, exportId, step }: Parameters<UserRecords['recordExport']>[0],
  atMs: number,
): AuditEvent {
  const contentDigest = seal.digest([userId, exportId])
  return { kind: `EXPORT_${step}`, atMs, appId: null, userId, subject: exportId, contentDigest }
}
