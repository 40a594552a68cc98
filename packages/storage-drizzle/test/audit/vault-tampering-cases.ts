import type { AuditFinding } from '@kyc-relay/kyc-core/audit'
import type { PiiEraser, PiiRevealer, PiiKeyRotation, PiiTokenizer } from '@kyc-relay/kyc-core'
import { uuid } from '../samples.js'

type Vault = PiiTokenizer & PiiRevealer & PiiEraser & PiiKeyRotation

const owner = { appId: uuid('app'), userId: uuid('user') }
const other = { appId: uuid('app'), userId: uuid('other user') }

/**
 * Two reveals, an opened part, an erasure asked for twice, an orphan on its way through quarantine, and data keys that
 * are re-wrapped by what
 * `reopen` answers.
 *
 * @returns how many entries that makes.
 */
export async function exerciseVault(vault: Vault, reopen: () => Promise<Vault>): Promise<number> {
  const part = { kind: 'record', recordId: 'r1', part: 'details', value: '{"firstName":"Testa"}' } as const
  const [ssn, record] = await vault.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }, part])
  const [orphan] = await vault.tokenize(other, [{ kind: 'ssn', value: '078-05-1120' }])
  if (ssn?.kind !== 'ssn' || record?.kind !== 'record' || orphan?.kind !== 'ssn') throw new Error('no tokens')
  await vault.reveal({ owner, actor: 'ops@example.com', purpose: 'case 1', token: ssn.token })
  await vault.reveal({ owner, actor: 'ops@example.com', purpose: 'case 2', token: ssn.token })
  const why = { owner, actor: 'ops@example.com', purpose: 'case 3' }
  await vault.openRecord({ ...why, recordId: 'r1', part: 'details', sealed: record.sealed })
  const left = { ...other, token: orphan.token }
  const quarantined = { tokens: [left], mostInADay: 1 }
  await vault.quarantine(quarantined)
  await vault.quarantine(quarantined)
  await vault.restore([left])
  await vault.restore([left])
  await vault.quarantine(quarantined)
  await vault.destroyQuarantined({ tokens: [left], ageMs: -1 })
  await vault.destroyQuarantined({ tokens: [left], ageMs: -1 })
  const { rewrapped } = await (await reopen()).rewrapDataKeys({ limit: 10 })
  await vault.eraseOwner(owner)
  await vault.eraseOwner(owner)
  return 8 + rewrapped
}

/** Ways to tamper with the vault, on either engine; before them {@link exerciseVault} has run. */
export const vaultTamperingCases: readonly {
  readonly name: string
  readonly sql: string
  readonly findings: readonly Partial<AuditFinding>[]
}[] = [
  {
    name: 'another person looked',
    sql: `UPDATE kyc_relay_vault_audit SET actor = 'other@example.com' WHERE purpose = 'case 2'`,
    findings: [{ code: 'ROW_DIFFERS' }],
  },
  {
    name: 'a reveal is removed',
    sql: `DELETE FROM kyc_relay_vault_audit WHERE purpose = 'case 2'`,
    findings: [{ code: 'ROW_MISSING' }],
  },
  {
    name: 'a reveal is made up',
    sql: `INSERT INTO kyc_relay_vault_audit (at, app_id, user_id, actor, purpose, token)
      SELECT at, app_id, user_id, actor, 'case 4', token FROM kyc_relay_vault_audit WHERE purpose = 'case 2'`,
    findings: [{ code: 'ROW_WITHOUT_ENTRY' }],
  },
  {
    name: 'an erasure is made another',
    sql: `UPDATE kyc_relay_vault_audit_entries SET subject = '0' WHERE kind = 'OWNER_ERASED'`,
    findings: [{ code: 'ENTRY_CHANGED', subject: '0' }],
  },
]
