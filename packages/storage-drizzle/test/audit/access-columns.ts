import { expect } from 'vitest'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../../src/apps/app-directory.js'
import {
  appId,
  at,
  createApps,
  grant,
  hashOf,
  otherApp,
  token,
  userId,
  waitingKey,
} from '../../src/testing/app-directory/sample-apps.js'
import type { UserRetention } from '../../src/user-retention/user-retention.js'
import { uuid } from '../samples.js'
import { verify } from './audit-samples.js'

const [revoked, held, closed, stranger] = ['revoked', 'held', 'closed', 'stranger'].map(uuid) as [
  ...[string, string, string, string],
]
const ids = [1, 2, 3].map((number) => `0198c0de-0000-7000-8000-00000000e00${number}`) as [string, string, string]
const [live, paused, removed] = ids
const correctionId = '0198c0de-0000-7000-8000-00000000c001'
const [ms, other] = ['1 ms later', `'other'`]

/** What a column becomes: an SQL expression, or the column a millisecond later or earlier. */
type Changes = Readonly<Record<string, readonly string[]>>

/** Rows, by table and condition, each with the changes of its columns. */
const rows: readonly (readonly [table: string, where: string, changes: Changes])[] = [
  ['apps', `app_id = '${otherApp}'`, { app_id: [other], name: [other] }],
  [
    'api_keys',
    `app_id = '${appId}' AND version = 2`,
    {
      app_id: [`'${otherApp}'`],
      version: ['20'],
      hash: [`sealed`],
      sealed: [`hash`],
      created_at: [ms],
      signs_from: [ms, 'created_at'],
      retired_at: [`created_at`],
      issued_reason: [other],
      revoked_reason: [other],
    },
  ],
  // A newer version retired it: no earlier, no later, and not never.
  ['api_keys', `app_id = '${appId}' AND version = 1`, { retired_at: [ms, '1 ms earlier', 'NULL'] }],
  ['api_keys', `app_id = '${appId}' AND version = 3`, { revoked_reason: ['NULL', other], retired_at: ['NULL'] }],
  [
    'grants',
    `user_id = '${userId}'`,
    {
      app_id: [`'${otherApp}'`],
      user_id: [`'${stranger}'`],
      account_id: [other],
      external_reference_id: [other],
      scopes: [`'[]'`, `'["VERIFY_KYC","MAKE_PAYOUT_SEND"]'`, `'{'`],
    },
  ],
  ['revoked_grants', 'TRUE', { app_id: [`'${otherApp}'`], user_id: [`'${stranger}'`], revoked_at: [ms] }],
  [
    'access_tokens',
    'TRUE',
    {
      hash: [`(SELECT hash FROM kyc_relay_api_keys WHERE version = 2)`],
      app_id: [`'${otherApp}'`],
      user_id: [`'${stranger}'`],
      scopes: [`'[]'`],
      expires_at: [ms],
    },
  ],
  [
    'endpoints',
    `endpoint_id = '${live}'`,
    {
      position: ['position + 1000'],
      endpoint_id: [other],
      app_id: [`'${otherApp}'`],
      url: [`'https://evil.example/'`],
      lineage_id: [`'${paused}'`],
      description: [other, 'NULL'],
      event_types: ['NULL', `'["TRANSACTION_CREATE"]'`],
      headers: ['NULL', `'{"names":["X-Tenant"],"sealed":"other","dataKey":"key"}'`],
      standard_webhooks: ['NOT standard_webhooks'],
      paused_by: [`'OPERATOR'`],
      created_at: [ms],
      removed_at: ['created_at'],
    },
  ],
  ['endpoints', `endpoint_id = '${paused}'`, { paused_by: ['NULL', `'OPERATOR'`] }],
  ['endpoints', `endpoint_id = '${removed}'`, { removed_at: ['NULL', ms], url: [other], headers: [`'{}'`] }],
  [
    'kyc_status_corrections',
    'TRUE',
    {
      position: ['position + 1000'],
      correction_id: [other],
      user_id: [`'${stranger}'`],
      previous: [`'PASS'`],
      next: [`'UNVERIFIED'`],
      at: [ms],
      actor: [other],
      reason: [other],
      after_verification: ['after_verification + 1'],
    },
  ],
  [
    'user_retention',
    `user_id = '${held}'`,
    { user_id: [`'${stranger}'`], held_at: [ms], hold_reason: [other], closed_at: ['held_at'] },
  ],
  ['user_retention', `user_id = '${closed}'`, { closed_at: [ms, 'NULL'] }],
]

/** Columns whose change is not found, each with the reason why that is right. */
const reviewed: Readonly<Record<string, { readonly where: string; readonly change: string; readonly reason: string }>> =
  {
    'user_retention.erasure_id': {
      where: `user_id = '${closed}'`,
      change: other,
      reason: 'Progress of an erasure. It is gone at the end, and the entries of the erasure say what was erased.',
    },
    'user_retention.erasure_started_at': {
      where: `user_id = '${closed}'`,
      change: 'closed_at',
      reason: 'Progress of an erasure, as above. A false one delays a legal hold, which answers 409 then.',
    },
    'user_retention.erased_at': {
      where: `user_id = '${closed}'`,
      change: 'closed_at',
      reason: 'The entries of the erasure have its time. A false one refuses submissions for now.',
    },
  }

async function fill(stores: ColumnStores): Promise<void> {
  const { apps, webhooks, corrections, userRetention } = stores
  await createApps(apps)
  await apps.addApiKey(waitingKey(2, at(1)))
  await apps.activateApiKey({ appId, now: at(2), retireOldAt: at(100) })
  await apps.issueApiKey({ key: waitingKey(3, at(3)), reason: 'lost' })
  await apps.revokeApiKey({ appId, version: 3, now: at(4), reason: 'leaked' })
  await apps.putGrant(grant())
  await apps.addAccessToken(token('secret'))
  await apps.putGrant(grant({ userId: revoked }))
  await apps.revokeGrant({ appId, userId: revoked })
  for (const [index, endpointId] of ids.entries()) {
    const endpoint = { endpointId, appId, url: `https://partner.com/${index}`, createdAt: at(index) }
    const headers = { names: ['X-Tenant'], sealed: 'sealed', dataKey: 'key' }
    const fields = {
      eventTypes: ['TRANSACTION_UPDATE' as const],
      standardWebhooks: false,
      description: 'ours',
      headers,
    }
    await webhooks.registerEndpoint({ ...endpoint, ...fields }, 5)
  }
  await webhooks.pauseEndpoint({ appId, endpointId: paused, by: 'PARTNER' })
  await webhooks.removeEndpoint({ appId, endpointId: removed })
  const correction = { correctionId, userId, expected: 'UNVERIFIED', next: 'PASS', at: at(3) } as const
  await corrections.correctKycStatus({ ...correction, actor: 'operator:Ada', reason: 'wrong document' })
  await userRetention.hold({ userId: held, reason: 'case 1' })
  await userRetention.hold({ userId: held, reason: 'case 2' })
  await userRetention.close({ userId: closed, closedAt: at(5) })
}

interface ColumnStores {
  readonly apps: AppDirectory
  readonly webhooks: WebhookStore
  readonly corrections: KycStatusCorrections
  readonly userRetention: UserRetention
}

/** Expects that a change of any column by SQL is found, or that the column is reviewed. */
export async function expectChangedColumnsAreFound(
  stores: ColumnStores,
  log: AuditLog,
  database: {
    sql(text: string): Promise<void>
    listColumns(table: string): Promise<readonly string[]>
    /** A time column some milliseconds later. */
    later(column: string, milliseconds: number): string
  },
): Promise<void> {
  const { sql, listColumns, later } = database
  await fill(stores)
  const found = async () => (await verify(log, { pageSize: 100 })).findings.map(({ code }) => code)
  expect(await found()).toEqual([])

  async function findingsAfter(table: string, column: string, change: string, where: string) {
    const name = `kyc_relay_${table}`
    const fresh = change === ms ? later(column, 1) : change === '1 ms earlier' ? later(column, -1) : change
    await sql(`CREATE TABLE kept AS SELECT * FROM ${name}`)
    await sql(`UPDATE ${name} SET ${column} = ${fresh} WHERE ${where}`)
    const codes = await found()
    await sql(`DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM kept; DROP TABLE kept`)
    return codes
  }

  for (const table of new Set(rows.map(([name]) => name))) {
    const tried = rows.filter(([name]) => name === table)
    for (const column of await listColumns(`kyc_relay_${table}`)) {
      const changed = tried.flatMap(([, where, changes]) => (changes[column] ?? []).map((to) => ({ where, to })))
      for (const { where, to } of changed) {
        const codes = (await findingsAfter(table, column, to, where)).filter((code) => code.startsWith('ROW_'))
        expect({ column: `${table}.${column}`, where, to, codes: codes.slice(0, 1) }).toEqual({
          column: `${table}.${column}`,
          where,
          to,
          codes: [expect.stringMatching(/^ROW_(?:DIFFERS|MISSING|WITHOUT_ENTRY)$/)],
        })
      }
      const exception = reviewed[`${table}.${column}`]
      expect([table, column, changed.length > 0]).toEqual([table, column, exception === undefined])
      if (exception === undefined) continue
      expect([column, await findingsAfter(table, column, exception.change, exception.where)]).toEqual([column, []])
    }
  }
  expect(await found()).toEqual([])
}

/** Expects that closures, holds and revocations that SQL removed are found, and those that the service removed are not. */
export async function expectRemovedRowsAreFound(
  stores: ColumnStores,
  log: AuditLog,
  sql: (text: string) => Promise<void>,
): Promise<void> {
  const { apps, userRetention } = stores
  await fill(stores)
  const found = async () => (await verify(log)).findings.map(({ code, subject }) => [code, subject])
  await userRetention.startErasure({ userId: closed, erasureId: 'one' })
  await userRetention.close({ userId: closed, closedAt: at(6) })
  await userRetention.finishErasure({ userId: closed, erasureId: 'one' })
  expect(await found()).toEqual([])
  await userRetention.close({ userId: closed, closedAt: at(6) })
  await sql(`DELETE FROM kyc_relay_user_retention`)
  await sql(`DELETE FROM kyc_relay_revoked_grants`)
  expect((await found()).sort()).toEqual([
    ['ROW_MISSING', `closure ${closed}`],
    ['ROW_MISSING', `hold ${held}`],
    ['ROW_MISSING', `revocation ${appId} ${revoked}`],
  ])
  await userRetention.close({ userId: closed, closedAt: null })
  await userRetention.hold({ userId: held, reason: 'case 3' })
  await userRetention.release({ userId: held })
  await apps.putGrant(grant({ userId: revoked }))
  expect(await found()).toEqual([])
  expect(await apps.findAccessToken(hashOf('secret'), at(0))).not.toBeNull()
}
