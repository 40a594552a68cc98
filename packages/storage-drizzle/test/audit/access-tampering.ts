import { expect } from 'vitest'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../../src/apps/app-directory.js'
import { appId, at, createApps, grant, hashOf, token, userId } from '../../src/testing/app-directory/sample-apps.js'
import { verify } from './audit-samples.js'

const endpointId = '0198c0de-0000-7000-8000-00000000e001'
/** Replaced while paused, and the one that took over its pause. */
const replaced = '0198c0de-0000-7000-8000-00000000e002'
const heir = '0198c0de-0000-7000-8000-00000000e003'
const headers = { names: ['X-Tenant'], sealed: 'sealed', dataKey: 'key' } as const
const headersText = JSON.stringify(headers)
const correction = {
  correctionId: '0198c0de-0000-7000-8000-00000000c001',
  userId,
  expected: 'UNVERIFIED',
  next: 'PASS',
  at: at(3),
  actor: 'operator:Ada',
  reason: 'wrong document',
} as const
const names = {
  grant: `grant ${appId} ${userId}`,
  token: `token ${Buffer.from(hashOf('secret')).toString('hex')}`,
  key: `key ${appId} 1`,
  endpoint: `endpoint ${endpointId}`,
}

/** Changes by SQL, each with the change that takes it back, and what has to be found. */
const changes: readonly (readonly [change: string, back: string, code: string, name: string])[] = [
  [
    `UPDATE kyc_relay_grants SET account_id = 'other'`,
    `UPDATE kyc_relay_grants SET account_id = '${grant().accountId}'`,
    'ROW_DIFFERS',
    names.grant,
  ],
  [
    `UPDATE kyc_relay_grants SET scopes = '["VERIFY_KYC","EVERYTHING"]'`,
    `UPDATE kyc_relay_grants SET scopes = '${JSON.stringify(grant().scopes)}'`,
    'ROW_DIFFERS',
    names.grant,
  ],
  [
    `UPDATE kyc_relay_grants SET scopes = '${JSON.stringify(grant().scopes.map((scope) => [scope]))}'`,
    `UPDATE kyc_relay_grants SET scopes = '${JSON.stringify(grant().scopes)}'`,
    'ROW_DIFFERS',
    names.grant,
  ],
  [
    `UPDATE kyc_relay_grants SET scopes = '{'`,
    `UPDATE kyc_relay_grants SET scopes = '${JSON.stringify(grant().scopes)}'`,
    'ROW_DIFFERS',
    names.grant,
  ],
  [
    `UPDATE kyc_relay_access_tokens SET scopes = '["EVERYTHING"]'`,
    `UPDATE kyc_relay_access_tokens SET scopes = '${JSON.stringify(token('secret').scopes)}'`,
    'ROW_DIFFERS',
    names.token,
  ],
  [
    `UPDATE kyc_relay_endpoints SET url = 'https://evil.example/' WHERE endpoint_id = '${endpointId}'`,
    `UPDATE kyc_relay_endpoints SET url = 'https://partner.com/hooks' WHERE endpoint_id = '${endpointId}'`,
    'ROW_DIFFERS',
    names.endpoint,
  ],
  ...(
    [
      [`headers = '{"names":["X-Tenant"],"sealed":"another","dataKey":"key"}'`, `headers = '${headersText}'`],
      [`headers = '{"names":["X-Other"],"sealed":"sealed","dataKey":"key"}'`, `headers = '${headersText}'`],
      [`headers = NULL`, `headers = '${headersText}'`],
      [`headers = '[]'`, `headers = '${headersText}'`],
      [`headers = '{'`, `headers = '${headersText}'`],
      [`description = 'theirs'`, `description = 'ours'`],
      [`description = NULL`, `description = 'ours'`],
      [`lineage_id = '${heir}'`, `lineage_id = '${endpointId}'`],
      [`standard_webhooks = NOT standard_webhooks`, `standard_webhooks = NOT standard_webhooks`],
    ] as const
  ).map(
    ([change, back]) =>
      [
        `UPDATE kyc_relay_endpoints SET ${change} WHERE endpoint_id = '${endpointId}'`,
        `UPDATE kyc_relay_endpoints SET ${back} WHERE endpoint_id = '${endpointId}'`,
        'ROW_DIFFERS',
        names.endpoint,
      ] as const,
  ),
  [
    `UPDATE kyc_relay_endpoints SET event_types = '["TRANSACTION_CREATE"]' WHERE endpoint_id = '${endpointId}'`,
    `UPDATE kyc_relay_endpoints SET event_types = NULL WHERE endpoint_id = '${endpointId}'`,
    'ROW_DIFFERS',
    names.endpoint,
  ],
  [
    `UPDATE kyc_relay_endpoints SET paused_by = 'OPERATOR' WHERE endpoint_id = '${endpointId}'`,
    `UPDATE kyc_relay_endpoints SET paused_by = NULL WHERE endpoint_id = '${endpointId}'`,
    'ROW_DIFFERS',
    names.endpoint,
  ],
  [
    `UPDATE kyc_relay_endpoints SET paused_by = 'OPERATOR' WHERE endpoint_id = '${heir}'`,
    `UPDATE kyc_relay_endpoints SET paused_by = 'PARTNER' WHERE endpoint_id = '${heir}'`,
    'ROW_DIFFERS',
    `endpoint ${heir}`,
  ],
  [
    `UPDATE kyc_relay_endpoints SET paused_by = NULL WHERE endpoint_id = '${heir}'`,
    `UPDATE kyc_relay_endpoints SET paused_by = 'PARTNER' WHERE endpoint_id = '${heir}'`,
    'ROW_DIFFERS',
    `endpoint ${heir}`,
  ],
  ...(
    [
      [`reason = 'tidied'`, `reason = '${correction.reason}'`],
      [`actor = 'operator:Eve'`, `actor = '${correction.actor}'`],
      [`previous = 'PASS'`, `previous = 'UNVERIFIED'`],
    ] as const
  ).map(
    ([change, back]) =>
      [
        `UPDATE kyc_relay_kyc_status_corrections SET ${change}`,
        `UPDATE kyc_relay_kyc_status_corrections SET ${back}`,
        'ROW_DIFFERS',
        `correction ${correction.correctionId}`,
      ] as const,
  ),
  [
    `UPDATE kyc_relay_endpoints SET removed_at = created_at WHERE endpoint_id = '${endpointId}'`,
    `UPDATE kyc_relay_endpoints SET removed_at = NULL WHERE endpoint_id = '${endpointId}'`,
    'ROW_DIFFERS',
    names.endpoint,
  ],
  [
    `INSERT INTO kyc_relay_grants SELECT app_id, 'stranger', account_id, external_reference_id, scopes FROM kyc_relay_grants`,
    `DELETE FROM kyc_relay_grants WHERE user_id = 'stranger'`,
    'ROW_WITHOUT_ENTRY',
    `grant ${appId} stranger`,
  ],
]

/** Expects that each row changed, added or removed by SQL is found under its name. */
export async function expectChangedAccessIsFound(
  stores: {
    readonly apps: AppDirectory
    readonly webhooks: WebhookStore
    readonly corrections: KycStatusCorrections
  },
  log: AuditLog,
  sql: (text: string) => Promise<void>,
): Promise<void> {
  const { apps, webhooks, corrections } = stores
  await createApps(apps)
  await apps.putGrant(grant())
  await apps.addAccessToken(token('secret'))
  const endpoint = { endpointId, appId, url: 'https://partner.com/hooks', eventTypes: null, createdAt: at(0) }
  await webhooks.registerEndpoint({ ...endpoint, standardWebhooks: false, headers, description: 'ours' }, 5)
  const other = { ...endpoint, url: 'https://partner.com/other', standardWebhooks: false }
  await webhooks.registerEndpoint({ ...other, endpointId: replaced }, 5)
  await webhooks.pauseEndpoint({ appId, endpointId: replaced, by: 'PARTNER' })
  await webhooks.replaceEndpoint({ appId, endpointId: replaced, replacement: { ...other, endpointId: heir } })
  await corrections.correctKycStatus(correction)
  const found = async () => (await verify(log)).findings.map(({ code, subject }) => [code, subject])
  expect(await found()).toEqual([])
  for (const [change, back, code, name] of changes) {
    await sql(change)
    expect([change, await found()]).toEqual([change, [[code, name]]])
    await sql(back)
    expect([back, await found()]).toEqual([back, []])
  }
  const [key] = (await apps.pageApiKeys({ now: at(4), limit: 10 })).filter((one) => one.appId === appId)
  const fresh = Uint8Array.from([1, 2, 3])
  await apps.replaceSealedApiKey({ appId, version: 1, former: key!.sealed, fresh, now: at(4) })
  expect(await found()).toEqual([])
  await sql(`UPDATE kyc_relay_api_keys SET sealed = hash WHERE app_id = '${appId}'`)
  expect(await found()).toEqual([['ROW_DIFFERS', names.key]])
  // The entry of a rotation covers the row as it is then, with bytes that SQL put there.
  expect(await apps.replaceSealedApiKey({ appId, version: 1, former: key!.hash, fresh, now: at(4) })).toBe(true)
  expect(await found()).toEqual([])
  await sql(`DELETE FROM kyc_relay_endpoints`)
  expect((await found()).sort()).toEqual([
    ['ROW_MISSING', names.endpoint],
    ['ROW_MISSING', `endpoint ${replaced}`],
    ['ROW_MISSING', `endpoint ${heir}`],
  ])
  await sql(`DELETE FROM kyc_relay_kyc_status_corrections`)
  expect(await found()).toContainEqual(['ROW_MISSING', `correction ${correction.correctionId}`])
}
