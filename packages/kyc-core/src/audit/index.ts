export type { AuditActor, AuditEntry } from './audit-entry.js'
export type { AuditLog } from './audit-log.js'
export { createAuditSeal, type AuditSeal } from './audit-seal.js'
export { verifyAuditLog, type AuditReport } from './verify-audit-log.js'
