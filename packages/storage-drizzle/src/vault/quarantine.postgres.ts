import { sql } from 'drizzle-orm'
import type { Token } from '@kyc-relay/kyc-core'
import { tokensEvent } from '../audit/erasure-events.js'
import type { QuarantineRows } from './vault-rows.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { statement, type Queryable, type Statement } from '../engine/postgres/statement.js'

const value = sql.placeholder
const before = sql`${now} - ${value('ageMs')}::float8 * interval '1 millisecond'`
const asked = sql`token = ANY(${value('tokens')}::text[])`

/** Condition for rows after the token `after` in a list by this column, or from the start. */
const placeAfter = (column: string) => sql`(
    coalesce((SELECT ${sql.raw(column)} FROM kyc_relay_vault_tokens WHERE token = ${value('after')}), '-infinity'),
    coalesce((
      SELECT position FROM kyc_relay_vault_tokens
      WHERE token = ${value('after')} AND ${sql.raw(column)} IS NOT NULL
    ), 0)
  )`

const listOlderThan = statement<{ token: Token }>(
  'vault_list_older_than',
  sql`
SELECT token FROM kyc_relay_vault_tokens
WHERE created_at < ${before} AND (created_at, position) > ${placeAfter('created_at')} AND quarantined_at IS NULL
ORDER BY created_at, position LIMIT ${value('limit')}`,
)

const listQuarantined = statement<{ token: Token }>(
  'vault_list_quarantined',
  sql`
SELECT token FROM kyc_relay_vault_tokens
WHERE quarantined_at IS NOT NULL AND quarantined_at < ${before}
  AND (quarantined_at, position) > ${placeAfter('quarantined_at')}
ORDER BY quarantined_at, position LIMIT ${value('limit')}`,
)

/** Held until the end of the transaction, so that each racing caller counts the writes of the previous one. */
const lockQuarantine = statement(
  'vault_lock_quarantine',
  sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || 'kyc_relay_vault_quarantine', 0))`,
)

const quarantinedInADay = sql`
SELECT count(*) AS count FROM kyc_relay_vault_tokens
WHERE quarantined_at IS NOT NULL AND quarantined_at > ${now} - interval '24 hours'`

const countInADay = statement<{ count: number }>('vault_count_quarantined_in_a_day', quarantinedInADay)

const countEntering = statement<{ count: number }>(
  'vault_count_entering_quarantine',
  sql`SELECT count(*) AS count FROM kyc_relay_vault_tokens WHERE ${asked} AND quarantined_at IS NULL`,
)

const countTokens = statement<{ count: number }>(
  'vault_count_tokens',
  sql`SELECT count(*) AS count FROM (
  SELECT FROM kyc_relay_vault_tokens WHERE created_at > '-infinity' LIMIT ${value('limit')}
) AS counted`,
)

const enter = statement<{ token: Token }>(
  'vault_enter_quarantine',
  sql`
UPDATE kyc_relay_vault_tokens SET quarantined_at = ${now} WHERE ${asked} AND quarantined_at IS NULL RETURNING token`,
)

const leave = statement<{ token: Token }>(
  'vault_leave_quarantine',
  sql`
UPDATE kyc_relay_vault_tokens SET quarantined_at = NULL WHERE ${asked} AND quarantined_at IS NOT NULL RETURNING token`,
)

const destroy = statement<{ token: Token }>(
  'vault_destroy_quarantined',
  sql`DELETE FROM kyc_relay_vault_tokens WHERE ${asked} AND quarantined_at < ${before} RETURNING token`,
)

/** Creates the part of the vault for ages of tokens and quarantine, on PostgreSQL. */
export function createQuarantine(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the vault's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
}): QuarantineRows {
  const { database, instant, audit } = dependencies

  /** Changes tokens, records the changed ones in the audit log, and returns their number. */
  async function change(
    on: Queryable,
    kind: 'TOKENS_QUARANTINED' | 'TOKENS_RESTORED' | 'TOKENS_ERASED',
    work: Statement<{ token: Token }>,
    values: Readonly<Record<string, unknown>>,
  ): Promise<number> {
    const changed = (await work.rows(on, values)).map(({ token }) => token)
    const [first] = changed
    if (first !== undefined) await audit?.append(on, first, (nowMs) => tokensEvent(audit.seal, kind, nowMs, changed))
    return changed.length
  }

  return {
    async listOlderThan({ ageMs, limit, after = null }) {
      const rows = await database.run((on) => listOlderThan.rows(on, { ageMs, limit, after, now: instant() }))
      return rows.map(({ token }) => token)
    },
    quarantine: ({ tokens, mostInADay }) =>
      database.transaction(async (on) => {
        const values = { tokens: [...tokens], now: instant() }
        await lockQuarantine.rows(on, {})
        const [entering] = await countEntering.rows(on, values)
        const [lately] = await countInADay.rows(on, values)
        if ((entering?.count ?? 0) + (lately?.count ?? 0) > mostInADay) return null
        return change(on, 'TOKENS_QUARANTINED', enter, values)
      }),
    async listQuarantined({ ageMs, limit, after = null }) {
      const rows = await database.run((on) => listQuarantined.rows(on, { ageMs, limit, after, now: instant() }))
      return rows.map(({ token }) => token)
    },
    restore: (tokens) => database.transaction((on) => change(on, 'TOKENS_RESTORED', leave, { tokens: [...tokens] })),
    destroyQuarantined: ({ tokens, ageMs }) =>
      database.transaction((on) =>
        change(on, 'TOKENS_ERASED', destroy, { tokens: [...tokens], ageMs, now: instant() }),
      ),
    countTokens: ({ limit }) =>
      database.run(async (on) => {
        const [counted] = await countTokens.rows(on, { limit })
        const [lately] = await countInADay.rows(on, { now: instant() })
        return { tokens: counted?.count ?? 0, quarantinedInADay: lately?.count ?? 0 }
      }),
  }
}
