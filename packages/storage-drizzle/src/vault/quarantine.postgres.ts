import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, sql, type SQL } from 'drizzle-orm'
import type { OwnedToken, Token } from '@kyc-relay/kyc-core'
import type { QuarantineRows } from './vault-rows.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { timeOf } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { groupBy } from '../group-by.js'
import { tokens } from './tables.postgres.js'
import { tokensEvent } from './tokens-event.js'
import { ownerKey } from '../owner-key.js'

const ago = (at: Date | null, ageMs: number) => sql`${timeOf(at)} - ${ageMs}::float8 * interval '1 millisecond'`

const value = sql.placeholder

const dayMs = 24 * 60 * 60 * 1000

/** Held until the end of the transaction, so that each racing caller counts the writes of the previous one. */
const lockQuarantine = statement(
  'vault_lock_quarantine',
  sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || 'kyc_relay_vault_quarantine', 0))`,
)

/** Lists tokens by a time: those older than the age, after the token `after` of the list. */
async function listBy(
  on: Queryable,
  list: { readonly at: typeof tokens.createdAt | typeof tokens.quarantinedAt; readonly condition: SQL },
  page: { readonly ageMs: number; readonly limit: number; readonly after?: OwnedToken; readonly now: Date | null },
): Promise<readonly OwnedToken[]> {
  const { at, condition } = list
  const query = queryBuilder(on)
  const [start] =
    page.after === undefined
      ? []
      : await query
          .select({ at, position: tokens.position })
          .from(tokens)
          .where(and(eq(tokens.userId, page.after.userId), eq(tokens.token, page.after.token)))
  const isAfter =
    start === undefined || start.at === null
      ? undefined
      : sql`(${at}, ${tokens.position}) > (${start.at.toISOString()}::timestamptz, ${start.position}::bigint)`
  return query
    .select({ appId: tokens.appId, userId: tokens.userId, token: tokens.token })
    .from(tokens)
    .where(and(lt(at, ago(page.now, page.ageMs)), isAfter, condition))
    .orderBy(asc(at), asc(tokens.position))
    .limit(page.limit)
}

/** Finds those of these tokens that are outside quarantine. */
const listOutside = statement<OwnedToken>(
  'vault_list_outside_quarantine',
  sql`
SELECT stored.app_id AS "appId", stored.user_id AS "userId", stored.token
FROM unnest(${value('appIds')}::text[], ${value('userIds')}::text[], ${value('tokens')}::text[])
  AS asked (app_id, user_id, token)
JOIN kyc_relay_vault_tokens AS stored USING (user_id, token, app_id)
WHERE stored.quarantined_at IS NULL`,
)

/** Changes tokens of one owner after the other: a statement changes rows of one user. Returns the changed ones. */
async function changeEach<Row>(
  asked: readonly OwnedToken[],
  change: (ofOwner: SQL | undefined) => PromiseLike<readonly Row[]>,
): Promise<readonly Row[]> {
  const byOwner = groupBy(asked, ownerKey)
  const changed: Row[] = []
  for (const owned of byOwner.values()) {
    const [{ appId, userId } = { appId: '', userId: '' }] = owned
    const ofOwner = and(
      eq(tokens.userId, userId),
      eq(tokens.appId, appId),
      inArray(
        tokens.token,
        owned.map(({ token }) => token),
      ),
    )
    changed.push(...(await change(ofOwner)))
  }
  return changed
}

const countQuarantinedInADay = (on: Queryable, now: Date | null): Promise<number> =>
  queryBuilder(on).$count(tokens, and(isNotNull(tokens.quarantinedAt), gt(tokens.quarantinedAt, ago(now, dayMs))))

/** Creates the part of the vault for ages of tokens and quarantine, on PostgreSQL. */
export function createQuarantine(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the vault's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
}): QuarantineRows {
  const { database, instant, audit } = dependencies

  /** Records changed tokens in the audit log and returns their number. */
  async function record(
    on: Queryable,
    kind: 'TOKENS_QUARANTINED' | 'TOKENS_RESTORED' | 'TOKENS_ERASED',
    rows: readonly { readonly token: Token }[],
  ): Promise<number> {
    const changed = rows.map(({ token }) => token)
    const [first] = changed
    if (first !== undefined) await audit?.append(on, first, (nowMs) => tokensEvent(audit.seal, kind, nowMs, changed))
    return changed.length
  }

  const token = { token: tokens.token }
  const inQuarantine = isNotNull(tokens.quarantinedAt)
  const outside = isNull(tokens.quarantinedAt)
  return {
    listOlderThan: (page) =>
      database.run((on) => listBy(on, { at: tokens.createdAt, condition: outside }, { ...page, now: instant() })),
    quarantine: ({ tokens: asked, mostInADay }) =>
      database.transaction(async (on) => {
        const now = instant()
        await lockQuarantine.rows(on, {})
        const entering = await listOutside.rows(on, {
          appIds: asked.map(({ appId }) => appId),
          userIds: asked.map(({ userId }) => userId),
          tokens: asked.map(({ token }) => token),
        })
        if (entering.length + (await countQuarantinedInADay(on, now)) > mostInADay) return null
        const entered = await changeEach(entering, (ofOwner) =>
          queryBuilder(on)
            .update(tokens)
            .set({ quarantinedAt: timeOf(now) })
            .where(and(ofOwner, outside))
            .returning(token),
        )
        return record(on, 'TOKENS_QUARANTINED', entered)
      }),
    listQuarantined: (page) =>
      database.run((on) =>
        listBy(on, { at: tokens.quarantinedAt, condition: inQuarantine }, { ...page, now: instant() }),
      ),
    restore: (asked) =>
      database.transaction(async (on) => {
        const restored = await changeEach(asked, (ofOwner) =>
          queryBuilder(on)
            .update(tokens)
            .set({ quarantinedAt: null })
            .where(and(ofOwner, inQuarantine))
            .returning(token),
        )
        return record(on, 'TOKENS_RESTORED', restored)
      }),
    destroyQuarantined: ({ tokens: asked, ageMs }) =>
      database.transaction(async (on) => {
        const isOld = lt(tokens.quarantinedAt, ago(instant(), ageMs))
        const destroyed = await changeEach(asked, (ofOwner) =>
          queryBuilder(on).delete(tokens).where(and(ofOwner, isOld)).returning(token),
        )
        return record(on, 'TOKENS_ERASED', destroyed)
      }),
    countTokens: ({ limit }) =>
      database.run(async (on) => {
        const query = queryBuilder(on)
        const bounded = query
          .select({ position: tokens.position })
          .from(tokens)
          .where(sql`${tokens.createdAt} > '-infinity'`)
          .limit(limit)
          .as('bounded_rows')
        const [counted] = await query.select({ count: count() }).from(bounded)
        return { tokens: counted?.count ?? 0, quarantinedInADay: await countQuarantinedInADay(on, instant()) }
      }),
  }
}
