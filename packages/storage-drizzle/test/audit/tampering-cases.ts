import type { AuditFinding, AuditLog } from '@kyc-relay/kyc-core/audit'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { UserErasure } from '../../src/sqlite/index.js'
import type { UserRetention } from '../../src/user-retention/user-retention.js'
import { submission, uuid } from '../samples.js'
import { verify, checkpointsOf } from './audit-samples.js'

/** Stores with a begun audit log, and the database behind them. */
export interface TamperedStores {
  readonly verifications: VerificationStore
  readonly audit: AuditLog
  readonly users: UserErasure
  readonly userRetention: UserRetention
  /** Runs SQL as somebody who got at the database would. */
  sql(text: string): Promise<void>
  /** A condition on an entry of the chain that {@link recordSome} writes to. */
  at(sequence: number): string
  readonly chain: number
  /** Keeps a copy of the database, to be put back. */
  copy(): Promise<() => Promise<void>>
}

const entries = 'kyc_relay_audit_entries'

/** Eight verifications of one user: entries 2 to 9 of one chain. */
export async function recordSome(verifications: VerificationStore, prefix = 'n', userId = uuid('user')) {
  for (let index = 1; index <= 8; index++) {
    await verifications.record(submission(`${prefix}${index}`, { key: { userId } }))
  }
}

type Finding = Partial<AuditFinding>

/** One way to tamper, and what has to be found. */
export interface TamperingCase {
  readonly name: string
  run(stores: TamperedStores): Promise<readonly AuditFinding[]>
  findings(stores: TamperedStores): readonly Finding[]
}

const id = (index: number) => uuid(`verification n${index}`)
const row = (index: number) => `verification_id = '${id(index)}'`

function tampered(
  name: string,
  sql: (stores: TamperedStores) => string | readonly string[],
  findings: (stores: TamperedStores) => readonly Finding[],
): TamperingCase {
  return {
    name,
    findings,
    async run(stores) {
      await recordSome(stores.verifications)
      for (const text of [sql(stores)].flat()) await stores.sql(text)
      return (await verify(stores.audit)).findings
    },
  }
}

/** Blanks rows as an erasure does. With several chains, what a replay answers is a row of its own. */
const blankRows = ({ audit }: Pick<TamperedStores, 'audit'>, where: string) => [
  `UPDATE kyc_relay_verifications SET ssn_token = NULL, payload_digest = NULL, erasable_key = NULL WHERE ${where}`,
  ...(audit.chains > 1 ? [`UPDATE kyc_relay_submission_keys SET payload_digest = NULL WHERE ${where}`] : []),
]

const columns = {
  kind: `'USER_ERASED'`,
  app_id: `'other'`,
  user_id: `'other'`,
  subject: `'other'`,
  actor: `'operator:other'`,
  reason: `'other'`,
  key_id: `'other'`,
} as const

/** Ways to tamper, on either engine, beside those with a status. */
export const tamperingCases: readonly TamperingCase[] = [
  ...Object.entries(columns).map(([column, value]) =>
    tampered(
      `the ${column} of an entry is changed`,
      ({ at }) => `UPDATE ${entries} SET ${column} = ${value} WHERE ${at(4)}`,
      ({ chain }) => [
        { code: column === 'key_id' ? 'ENTRY_KEY_UNKNOWN' : 'ENTRY_CHANGED', chain, sequence: 4 },
        ...(['kind', 'subject', 'user_id'].includes(column)
          ? [{ code: 'ROW_WITHOUT_ENTRY' as const, subject: id(3) }]
          : []),
      ],
    ),
  ),
  ...['content_digest', 'previous_mac', 'mac'].map((column) =>
    tampered(
      `the ${column} of an entry is that of another`,
      ({ at }) =>
        `UPDATE ${entries} SET ${column} = (SELECT o.${column} FROM ${entries} o WHERE ${at(6)}) WHERE ${at(4)}`,
      ({ chain }) => [{ code: 'ENTRY_CHANGED', chain, sequence: 4 }],
    ),
  ),
  tampered(
    'an entry in the middle is removed',
    ({ at }) => `DELETE FROM ${entries} WHERE ${at(4)}`,
    ({ chain }) => [
      { code: 'ENTRIES_REMOVED', chain, sequence: 4, toSequence: 4 },
      { code: 'ROW_WITHOUT_ENTRY', subject: id(3) },
    ],
  ),
  tampered(
    'the first entries are removed',
    ({ at }) => `DELETE FROM ${entries} WHERE ${at(1)} OR ${at(2)}`,
    ({ chain }) => [
      { code: 'ENTRIES_REMOVED', chain, sequence: 1, toSequence: 2 },
      { code: 'ROW_WITHOUT_ENTRY', subject: id(1) },
    ],
  ),
  tampered(
    'two entries change places',
    ({ at }) => [
      `UPDATE ${entries} SET sequence = 1000 WHERE ${at(4)}`,
      `UPDATE ${entries} SET sequence = 4 WHERE ${at(7)}`,
      `UPDATE ${entries} SET sequence = 7 WHERE ${at(1000)}`,
    ],
    ({ chain }) => [
      { code: 'ENTRY_MOVED', chain, sequence: 4, toSequence: 7, subject: id(6) },
      { code: 'ENTRY_MOVED', chain, sequence: 7, toSequence: 4, subject: id(3) },
    ],
  ),
  tampered(
    'an entry is removed and those after it move up',
    ({ at }) => [
      `DELETE FROM ${entries} WHERE ${at(7)}`,
      `UPDATE ${entries} SET sequence = 7 WHERE ${at(8)}`,
      `UPDATE ${entries} SET sequence = 8 WHERE ${at(9)}`,
    ],
    ({ chain, audit }) => [
      { code: 'ENTRY_MOVED', chain, sequence: 7, toSequence: 8 },
      { code: 'ENTRY_MOVED', chain, sequence: 8, toSequence: 9 },
      // Where there is a head row it still says 9.
      ...(audit.chains > 1 ? [{ code: 'CHAIN_CUT_OFF' as const, chain, sequence: 9, toSequence: 9 }] : []),
      { code: 'ROW_WITHOUT_ENTRY', subject: id(6) },
    ],
  ),
  ...[
    `decision = 'FAILED'`,
    `result_message = 'Other.'`,
    `country_code = 'CA'`,
    `ssn_token = 'tok_ssn_other'`,
    `ssn_token = NULL`,
    `erasable_key = NULL`,
    `ssn_token = NULL, payload_digest = NULL`,
    `erasable_mac = payload_digest`,
    `previous_status = 'PASS_INTERNATIONAL', next_status = 'PASS_INTERNATIONAL'`,
    `sections = '[]'`,
    `checks = '[]'`,
    `checks = replace(checks, 'PASSED', 'FAILED')`,
    `checks = replace(checks, '"PASSED"', '["PASSED"]')`,
    `decline_codes = '["other"]'`,
    ...['no JSON', 'null', '{}', '[null]', '["other"]'].map((text) => `checks = '${text}'`),
  ].map((change) =>
    tampered(
      `a verification is changed: ${change}`,
      () => `UPDATE kyc_relay_verifications SET ${change} WHERE ${row(3)}`,
      ({ chain }) => [{ code: 'ROW_DIFFERS', chain, sequence: 4, subject: id(3) }],
    ),
  ),
  tampered(
    'a row is blanked as an erasure would, without one',
    (stores) => blankRows(stores, row(3)),
    ({ chain }) => [{ code: 'ERASED_WITHOUT_ENTRY', chain, sequence: 4, subject: id(3) }],
  ),
  {
    name: 'a row is blanked that was recorded after the erasure of its user',
    async run({ verifications, users, userRetention, audit, sql }) {
      const key = { userId: uuid('user') }
      await verifications.record(submission('n1', { key }))
      await users.eraseUser({ appId: uuid('app'), ...key })
      await userRetention.finishErasure({ ...key, erasureId: uuid('erasure') })
      await verifications.record(submission('n2', { key }))
      const before = (await verify(audit)).findings
      for (const text of blankRows({ audit }, row(2))) await sql(text)
      return [...before, ...(await verify(audit)).findings]
    },
    findings: ({ chain }) => [{ code: 'ERASED_WITHOUT_ENTRY' as const, chain, sequence: 4, subject: id(2) }],
  },
  {
    name: 'a row is put there past the service',
    async run({ verifications, audit, sql }) {
      await recordSome(verifications)
      await sql(
        `INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id,
          external_verification_provider, schema_version, decision, decisioned_at, recorded_at, country_code,
          result_status, result_message, payload_digest, previous_status, next_status, status_at, sections, checks,
          decline_codes, sealed_details, erasable_key, erasable_mac)
        SELECT 'made-up', app_id, user_id, 'made-up', external_verification_provider, schema_version, decision,
          decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest, previous_status,
          next_status, status_at, sections, checks, decline_codes, sealed_details, erasable_key, erasable_mac
        FROM kyc_relay_verifications WHERE ${row(3)}`,
      )
      return (await verify(audit)).findings
    },
    findings: () => [{ code: 'ROW_WITHOUT_ENTRY', chain: null, sequence: null, subject: 'made-up' }],
  },
  {
    name: 'the database is an older copy, without the newest entries and what they speak of, against checkpoints',
    async run(stores) {
      await recordSome(stores.verifications)
      const putBack = await stores.copy()
      await recordSome(stores.verifications, 'm')
      const checkpoints = await checkpointsOf(stores.audit)
      await putBack()
      return (await verify(stores.audit, { checkpoints })).findings
    },
    findings: ({ chain }) => [{ code: 'CHAIN_CUT_OFF', chain, sequence: 10, toSequence: 17 }],
  },
  {
    name: 'an older copy is put back and goes on, against checkpoints',
    async run(stores) {
      await recordSome(stores.verifications)
      const putBack = await stores.copy()
      await recordSome(stores.verifications, 'm')
      const checkpoints = await checkpointsOf(stores.audit)
      await putBack()
      await recordSome(stores.verifications, 'k')
      await recordSome(stores.verifications, 'j')
      return (await verify(stores.audit, { checkpoints })).findings
    },
    findings: ({ chain }) => [{ code: 'CHECKPOINT_DIFFERS', chain, sequence: 17 }],
  },
  {
    name: 'a checkpoint is changed',
    async run({ verifications, audit }) {
      await recordSome(verifications)
      const [first, ...rest] = (await checkpointsOf(audit)).filter(({ sequence }) => sequence > 1)
      const checkpoints = first === undefined ? [] : [{ ...first, sequence: first.sequence - 1 }, ...rest]
      return (await verify(audit, { checkpoints })).findings
    },
    findings: ({ chain }) => [{ code: 'CHECKPOINT_CHANGED', chain, sequence: 8 }],
  },
  {
    name: 'every entry of the log is removed, against checkpoints',
    async run({ verifications, audit, sql, chain }) {
      await recordSome(verifications)
      const checkpoints = (await checkpointsOf(audit)).filter(({ sequence }) => sequence > 1)
      await sql(`DELETE FROM ${entries}`)
      return (await verify(audit, { checkpoints })).findings.filter(
        (finding) => finding.code !== 'CHAIN_MISSING' && (finding.chain === chain || finding.chain === null),
      )
    },
    findings: ({ chain }) => [
      { code: 'CHAIN_CUT_OFF', chain, sequence: 1, toSequence: 9 },
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((index) => ({ code: 'ROW_WITHOUT_ENTRY' as const, subject: id(index) })),
    ],
  },
]

/** Where what a replay answers is a row of its own. */
export const keyTamperingCases: readonly TamperingCase[] = [
  `SET result_status = 'DECLINED'`,
  `SET result_message = 'Other.'`,
  `SET verification_id = 'other'`,
  `SET user_id = 'other'`,
  `SET external_verification_id = 'other'`,
].map((change) =>
  tampered(
    `the key of a submission is changed: ${change}`,
    () => `UPDATE kyc_relay_submission_keys ${change} WHERE ${row(3)}`,
    ({ chain }) => [{ code: 'ROW_DIFFERS', chain, sequence: 4, subject: id(3) }],
  ),
)

/** Where a status is a row of its own. */
export const statusRowTamperingCases: readonly TamperingCase[] = [
  tampered(
    'a user is given another status',
    () => `UPDATE kyc_relay_kyc_statuses SET status = 'PASS_INTERNATIONAL'`,
    () => [{ code: 'STATUS_UNFOUNDED', subject: uuid('user') }],
  ),
  tampered(
    'a user is set back',
    () => `UPDATE kyc_relay_kyc_statuses SET status = 'UNVERIFIED'`,
    () => [{ code: 'STATUS_UNFOUNDED', subject: uuid('user') }],
  ),
  tampered(
    'a user without a verification is given a status',
    () =>
      `INSERT INTO kyc_relay_kyc_statuses (user_id, status, since)
       SELECT '${uuid('stranger')}', status, since FROM kyc_relay_kyc_statuses`,
    () => [{ code: 'STATUS_UNFOUNDED', subject: uuid('stranger') }],
  ),
  tampered(
    'the status of a user is removed',
    () => `DELETE FROM kyc_relay_kyc_statuses`,
    () => [{ code: 'STATUS_MISSING', subject: id(1) }],
  ),
  tampered(
    'the time of a status is changed',
    () => `UPDATE kyc_relay_verifications SET status_at = status_at + interval '1 ms' WHERE ${row(3)}`,
    ({ chain }) => [{ code: 'ROW_DIFFERS', chain, sequence: 4, subject: id(3) }],
  ),
]

/** Where a status is what the newest verification says: that is a part of what its entry speaks of. */
export const newestStatusTamperingCases: readonly TamperingCase[] = [
  `next_status = 'PASS_INTERNATIONAL'`,
  `previous_status = 'UNVERIFIED'`,
  `status_at = 0`,
].map((change) =>
  tampered(
    `the newest status of a user is changed: ${change}`,
    () => `UPDATE kyc_relay_verifications SET ${change} WHERE ${row(8)}`,
    ({ chain }) => [{ code: 'ROW_DIFFERS', chain, sequence: 9, subject: id(8) }],
  ),
)
