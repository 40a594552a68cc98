import { and, asc, isNotNull, or, sql } from 'drizzle-orm'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AccessRow } from '@kyc-relay/kyc-core/internal'
import { accessTokens, apiKeys, apps, grants, revokedGrants } from '../apps/tables.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import { checkedLimit } from '../page-cursor.js'
import { userRetention } from '../user-retention/tables.postgres.js'
import { kycStatusCorrections } from '../verifications/tables.postgres.js'
import { endpoints } from '../webhooks/tables.postgres.js'
import { accessRowOf } from './access-rows.js'

type Key = readonly [first: string, second: string]

/** One list: reads rows after a key, in the order of the key. A key of one column has `''` as its second part. */
type List = (
  on: Queryable,
  after: Key,
  limit: number,
) => Promise<readonly { readonly rows: readonly AccessRow[]; readonly key: Key }[]>

function listsOf(seal: AuditSeal): readonly List[] {
  return [
    async (on, [after], limit) =>
      (
        await queryBuilder(on)
          .select()
          .from(apps)
          .where(sql`${apps.appId} > ${after}`)
          .orderBy(asc(apps.appId))
          .limit(limit)
      ).map((row) => ({ rows: [accessRowOf.app(seal, row)], key: [row.appId, ''] })),
    async (on, [appId, version], limit) =>
      (
        await queryBuilder(on)
          .select()
          .from(apiKeys)
          .where(sql`(${apiKeys.appId}, ${apiKeys.version}) > (${appId}, ${Number(version)})`)
          .orderBy(asc(apiKeys.appId), asc(apiKeys.version))
          .limit(limit)
      ).map((row) => ({ rows: [accessRowOf.key(seal, row)], key: [row.appId, String(row.version)] })),
    async (on, [appId, userId], limit) =>
      (
        await queryBuilder(on)
          .select()
          .from(grants)
          .where(sql`(${grants.appId}, ${grants.userId}) > (${appId}, ${userId})`)
          .orderBy(asc(grants.appId), asc(grants.userId))
          .limit(limit)
      ).map((row) => ({ rows: [accessRowOf.grant(seal, row)], key: [row.appId, row.userId] })),
    async (on, [appId, userId], limit) =>
      (
        await queryBuilder(on)
          .select()
          .from(revokedGrants)
          .where(sql`(${revokedGrants.appId}, ${revokedGrants.userId}) > (${appId}, ${userId})`)
          .orderBy(asc(revokedGrants.appId), asc(revokedGrants.userId))
          .limit(limit)
      ).map((row) => ({ rows: [accessRowOf.revocation(seal, row)], key: [row.appId, row.userId] })),
    async (on, [hash], limit) =>
      (
        await queryBuilder(on)
          .select()
          .from(accessTokens)
          .where(sql`${accessTokens.hash} > decode(${hash}, 'hex')`)
          .orderBy(asc(accessTokens.hash))
          .limit(limit)
      ).map((row) => ({ rows: [accessRowOf.token(seal, row)], key: [Buffer.from(row.hash).toString('hex'), ''] })),
    async (on, [appId, endpointId], limit) =>
      (
        await queryBuilder(on)
          .select()
          .from(endpoints)
          .where(sql`(${endpoints.appId}, ${endpoints.endpointId}) > (${appId}, ${endpointId})`)
          .orderBy(asc(endpoints.appId), asc(endpoints.endpointId))
          .limit(limit)
      ).map((row) => ({ rows: [accessRowOf.endpoint(seal, row)], key: [row.appId, row.endpointId] })),
    async (on, [userId, correctionId], limit) => {
      const corrections = kycStatusCorrections
      const found = await queryBuilder(on)
        .select()
        .from(corrections)
        .where(sql`(${corrections.userId}, ${corrections.correctionId}) > (${userId}, ${correctionId})`)
        .orderBy(asc(corrections.userId), asc(corrections.correctionId))
        .limit(limit)
      return found.map((row) => ({ rows: [accessRowOf.correction(seal, row)], key: [row.userId, row.correctionId] }))
    },
    async (on, [userId], limit) => {
      const isKept = or(isNotNull(userRetention.heldAt), isNotNull(userRetention.closedAt))
      const found = await queryBuilder(on)
        .select()
        .from(userRetention)
        .where(and(sql`${userRetention.userId} > ${userId}`, isKept))
        .orderBy(asc(userRetention.userId))
        .limit(limit)
      return found.map((row) => ({ rows: accessRowOf.retention(seal, row), key: [row.userId, ''] }))
    },
  ]
}

/** Lists the rows that entries speak of. The cursor is the number of the list and the last row of the page. */
export function accessRows(database: PostgresDatabase, seal: AuditSeal): NonNullable<AuditLog['listAccess']> {
  const lists = listsOf(seal)
  return async ({ cursor, limit }) => {
    checkedLimit(limit, 1_000)
    const [at, ...after] = cursor === null ? ([0, '', ''] as const) : (JSON.parse(cursor) as [number, string, string])
    const list = lists[at]
    if (list === undefined) return { rows: [], nextCursor: null }
    const found = await database.run((on) => list(on, after, limit))
    const last = found.length < limit ? undefined : found.at(-1)?.key
    return {
      rows: found.flatMap(({ rows }) => rows),
      nextCursor: JSON.stringify(last === undefined ? [at + 1, '', ''] : [at, ...last]),
    }
  }
}
