import {
  verifyAuditLog,
  type AuditFinding,
  type AuditLog,
  type AuditReport,
  type SealedCheckpoint,
} from '@kyc-relay/kyc-core/audit'
import { createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

/** A key file with fixed keys. */
export const auditKeyFile = JSON.stringify({
  version: 1,
  activeSealKeyId: 'seal-1',
  activeFingerprintKeyId: 'fingerprint-1',
  activeAuditKeyId: 'audit-1',
  keys: [
    { id: 'seal-1', purpose: 'seal', key: key(1), createdAt: '2026-01-01' },
    { id: 'fingerprint-1', purpose: 'fingerprint', key: key(2), createdAt: '2026-01-01' },
    { id: 'audit-1', purpose: 'audit', key: key(3), createdAt: '2026-01-01' },
  ],
})

export const auditSeal = createLocalAuditSeal({ keys: parseKeyFile(auditKeyFile) })

/** What a verification of the log finds, with its report. */
export async function verify(
  log: AuditLog,
  options: { checkpoints?: readonly SealedCheckpoint[]; pageSize?: number; seal?: typeof auditSeal } = {},
): Promise<{ findings: AuditFinding[]; report: AuditReport }> {
  const findings: AuditFinding[] = []
  const { checkpoints = [], pageSize = 3, seal = auditSeal } = options
  const report = await verifyAuditLog({
    log,
    seal,
    checkpoints,
    pageSize,
    onFinding: (finding) => findings.push(finding),
  })
  return { findings, report }
}

/** Checkpoints of all chains as they are now. */
export async function checkpointsOf(log: AuditLog, seal = auditSeal): Promise<SealedCheckpoint[]> {
  const heads = await log.listHeads()
  return heads.map((head) => seal.sealCheckpoint({ ...head, log: log.name, atMs: 1_767_323_045_678 }))
}

/** Findings in one order, whichever the engine reads rows in. */
export function inOrder<T extends Partial<AuditFinding>>(findings: readonly T[]): T[] {
  const key = ({ code, sequence, subject }: T) => `${code} ${sequence ?? ''} ${subject ?? ''}`
  return [...findings].sort((one, other) => (key(one) < key(other) ? -1 : 1))
}
