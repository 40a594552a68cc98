import { sql } from 'drizzle-orm'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import { checkedLimit } from '../page-cursor.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'
import {
  accessRowOf,
  type StoredAccessToken,
  type StoredApiKey,
  type StoredCorrection,
  type StoredEndpoint,
  type StoredGrant,
  type StoredPause,
} from './access-rows.js'

const value = sql.placeholder
const pageOf = sql`LIMIT ${value('limit')}`

const listGrants = statement<StoredGrant>(
  'stores_audit_list_grants',
  sql`
SELECT app_id AS "appId", user_id AS "userId", account_id AS "accountId", external_reference_id AS "externalReferenceId", scopes
FROM kyc_relay_grants WHERE (app_id, user_id) > (${value('first')}, ${value('second')}) ORDER BY app_id, user_id ${pageOf}`,
)
const listTokens = statement<StoredAccessToken>(
  'stores_audit_list_tokens',
  sql`
SELECT hash, app_id AS "appId", user_id AS "userId", scopes, extract(epoch FROM expires_at) * 1000 AS "expiresAt"
FROM kyc_relay_access_tokens WHERE hash > decode(${value('first')}, 'hex') ORDER BY hash ${pageOf}`,
)
const listKeys = statement<StoredApiKey>(
  'stores_audit_list_keys',
  sql`
SELECT app_id AS "appId", version, hash, sealed, issued_reason AS "issuedReason", extract(epoch FROM retired_at) * 1000 AS "retiredAt"
FROM kyc_relay_api_keys
WHERE (app_id, version) > (${value('first')}, (${value('second')})::int) ORDER BY app_id, version ${pageOf}`,
)
const listEndpoints = statement<StoredEndpoint>(
  'stores_audit_list_endpoints',
  sql`
SELECT endpoint_id AS "endpointId", app_id AS "appId", url, lineage_id AS "lineageId", description,
  extract(epoch FROM created_at) * 1000 AS "createdAt", event_types AS "eventTypes",
  standard_webhooks AS "standardWebhooks", headers, extract(epoch FROM removed_at) * 1000 AS "removedAt"
FROM kyc_relay_endpoints
WHERE (app_id, endpoint_id) > (${value('first')}, ${value('second')}) ORDER BY app_id, endpoint_id ${pageOf}`,
)

const listPauses = statement<StoredPause>(
  'stores_audit_list_pauses',
  sql`
SELECT endpoint_id AS "endpointId", app_id AS "appId", paused_by AS by
FROM kyc_relay_endpoints
WHERE (app_id, endpoint_id) > (${value('first')}, ${value('second')}) AND paused_by IS NOT NULL
ORDER BY app_id, endpoint_id ${pageOf}`,
)
const listCorrections = statement<StoredCorrection>(
  'stores_audit_list_corrections',
  sql`
SELECT correction_id AS "correctionId", user_id AS "userId", previous, next, extract(epoch FROM at) * 1000 AS at, actor, reason
FROM kyc_relay_kyc_status_corrections
WHERE (user_id, correction_id) > (${value('first')}, ${value('second')}) ORDER BY user_id, correction_id ${pageOf}`,
)

/** Lists keys, tokens, grants, endpoints, pauses and corrections. The cursor is the number of the list and the last row of the page. */
export function accessRows(database: PostgresDatabase, seal: AuditSeal): NonNullable<AuditLog['listAccess']> {
  const numberOf = (value: number | null) => (value === null ? null : Math.round(Number(value)))
  const lists = [
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listGrants.rows(on, page)).map((row) => ({
          row: accessRowOf.grant(seal, row),
          key: [row.appId, row.userId],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listTokens.rows(on, page)).map((row) => ({
          row: accessRowOf.token(seal, { ...row, expiresAt: numberOf(row.expiresAt) ?? 0 }),
          key: [Buffer.from(row.hash).toString('hex'), ''],
        })),
    },
    {
      start: '0',
      list: async (on: Queryable, page: AccessPage) =>
        (await listKeys.rows(on, page)).map((row) => ({
          row: accessRowOf.key(seal, { ...row, retiredAt: numberOf(row.retiredAt) }),
          key: [row.appId, String(row.version)],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listEndpoints.rows(on, page)).map((row) => ({
          row: accessRowOf.endpoint(seal, {
            ...row,
            createdAt: numberOf(row.createdAt) ?? 0,
            removedAt: numberOf(row.removedAt),
          }),
          key: [row.appId, row.endpointId],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listPauses.rows(on, page)).map((row) => ({
          row: accessRowOf.pause(seal, row),
          key: [row.appId, row.endpointId],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listCorrections.rows(on, page)).map((row) => ({
          row: accessRowOf.correction(seal, { ...row, at: numberOf(row.at) ?? 0 }),
          key: [row.userId, row.correctionId],
        })),
    },
  ]
  return async ({ cursor, limit }) => {
    checkedLimit(limit, 1_000)
    const [at, first, second] =
      cursor === null ? ([0, '', ''] as const) : (JSON.parse(cursor) as [number, string, string])
    const one = lists[at]
    if (one === undefined) return { rows: [], nextCursor: null }
    const page = { first, second: second === '' ? one.start : second, limit }
    const found = await database.run((on) => one.list(on, page))
    const last = found.length < limit ? undefined : found.at(-1)?.key
    return {
      rows: found.map(({ row }) => row),
      nextCursor: JSON.stringify(last === undefined ? [at + 1, '', ''] : [at, ...last]),
    }
  }
}

type AccessPage = {
  readonly first: string
  readonly second: string
  readonly limit: number
}
