import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditLogName } from '@kyc-relay/kyc-core/internal'
import { StorageError } from '../storage-error.js'
import { auditTables } from './audit-tables.js'

interface LogOptions {
  readonly log: AuditLogName
  readonly seal: AuditSeal
}

/** @throws `ARGUMENT_INVALID` unless they name a log and have its seal, and nothing else */
export function checkedLogOptions(options: LogOptions): LogOptions {
  const { log, seal, ...unknown } = { ...options }
  const isSeal = typeof (seal as Partial<AuditSeal> | undefined)?.check === 'function'
  if (!Object.hasOwn(auditTables, log) || !isSeal || Object.keys(unknown).length > 0)
    throw new StorageError('ARGUMENT_INVALID')
  return { log, seal }
}
