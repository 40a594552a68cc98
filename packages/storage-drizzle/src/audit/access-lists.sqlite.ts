import type Database from 'better-sqlite3'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AccessRow } from '@kyc-relay/kyc-core/internal'
import { prepare, read } from '../engine/sqlite/statement.js'
import { checkedLimit } from '../page-cursor.js'
import {
  accessRowOf,
  type StoredAccessToken,
  type StoredApiKey,
  type StoredApp,
  type StoredCorrection,
  type StoredEndpoint,
  type StoredGrant,
  type StoredRetention,
  type StoredRevocation,
} from './access-rows.js'

/** Lists the rows that entries speak of. The cursor is the number of the list and the last row of the page. */
export function accessRows(client: Database.Database, seal: AuditSeal): NonNullable<AuditLog['listAccess']> {
  const lists = [
    listOf<StoredApp>(
      client,
      `SELECT app_id AS appId, name FROM kyc_relay_apps WHERE app_id > ? AND ? = '' ORDER BY app_id LIMIT ?`,
      ({ appId }) => [appId, ''],
      (row) => [accessRowOf.app(seal, row)],
    ),
    listOf<StoredApiKey>(
      client,
      `SELECT app_id AS appId, version, hash, sealed, created_at AS createdAt, signs_from AS signsFrom,
        retired_at AS retiredAt, issued_reason AS issuedReason, revoked_reason AS revokedReason
      FROM kyc_relay_api_keys WHERE (app_id, version) > (?, CAST(? AS INTEGER)) ORDER BY app_id, version LIMIT ?`,
      ({ appId, version }) => [appId, String(version)],
      (row) => [accessRowOf.key(seal, row)],
    ),
    listOf<StoredGrant>(
      client,
      `SELECT app_id AS appId, user_id AS userId, account_id AS accountId,
        external_reference_id AS externalReferenceId, scopes
      FROM kyc_relay_grants WHERE (app_id, user_id) > (?, ?) ORDER BY app_id, user_id LIMIT ?`,
      ({ appId, userId }) => [appId, userId],
      (row) => [accessRowOf.grant(seal, row)],
    ),
    listOf<StoredRevocation>(
      client,
      `SELECT app_id AS appId, user_id AS userId, revoked_at AS revokedAt
      FROM kyc_relay_revoked_grants WHERE (app_id, user_id) > (?, ?) ORDER BY app_id, user_id LIMIT ?`,
      ({ appId, userId }) => [appId, userId],
      (row) => [accessRowOf.revocation(seal, row)],
    ),
    listOf<StoredAccessToken>(
      client,
      `SELECT hash, app_id AS appId, user_id AS userId, scopes, expires_at AS expiresAt
      FROM kyc_relay_access_tokens WHERE hash > unhex(?) AND ? = '' ORDER BY hash LIMIT ?`,
      ({ hash }) => [Buffer.from(hash).toString('hex'), ''],
      (row) => [accessRowOf.token(seal, row)],
    ),
    listOf<StoredEndpoint>(
      client,
      `SELECT position, endpoint_id AS endpointId, app_id AS appId, url, lineage_id AS lineageId, description,
        event_types AS eventTypes, headers, standard_webhooks AS standardWebhooks, paused_by AS pausedBy,
        created_at AS createdAt, removed_at AS removedAt
      FROM kyc_relay_endpoints WHERE endpoint_id > ? AND ? = '' ORDER BY endpoint_id LIMIT ?`,
      ({ endpointId }) => [endpointId, ''],
      (row) => [accessRowOf.endpoint(seal, row)],
    ),
    listOf<StoredCorrection>(
      client,
      `SELECT position, correction_id AS correctionId, user_id AS userId, previous, next, at, actor, reason,
        after_verification AS afterVerification
      FROM kyc_relay_kyc_status_corrections WHERE correction_id > ? AND ? = '' ORDER BY correction_id LIMIT ?`,
      ({ correctionId }) => [correctionId, ''],
      (row) => [accessRowOf.correction(seal, row)],
    ),
    listOf<StoredRetention>(
      client,
      `SELECT user_id AS userId, held_at AS heldAt, hold_reason AS holdReason, closed_at AS closedAt
      FROM kyc_relay_user_retention
      WHERE user_id > ? AND ? = '' AND (held_at IS NOT NULL OR closed_at IS NOT NULL) ORDER BY user_id LIMIT ?`,
      ({ userId }) => [userId, ''],
      (row) => accessRowOf.retention(seal, row),
    ),
  ]
  return ({ cursor, limit }) =>
    read(() => {
      const [list, ...after] = cursor === null ? [0, '', ''] : (JSON.parse(cursor) as [number, string, string])
      const page = lists[list]?.(after[0] ?? '', after[1] ?? '', checkedLimit(limit, 1_000))
      const next = page?.last == null ? [list + 1, '', ''] : [list, ...page.last]
      return { rows: page?.rows ?? [], nextCursor: list >= lists.length ? null : JSON.stringify(next) }
    })
}

function listOf<Row>(
  client: Database.Database,
  text: string,
  keyOf: (row: Row) => readonly [string, string],
  convert: (row: Row) => readonly AccessRow[],
) {
  const list = prepare<[string, string, number], Row>(client, text)
  return (first: string, second: string, limit: number) => {
    const found = list.all(first, second, limit)
    const last = found.at(-1)
    return { rows: found.flatMap(convert), last: last === undefined || found.length < limit ? null : keyOf(last) }
  }
}
