import type Database from 'better-sqlite3'
import type { Token } from '@kyc-relay/kyc-core'
import { tokensEvent } from '../audit/erasure-events.js'
import type { QuarantineRows } from './vault-rows.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import type { Checkpoints } from '../engine/sqlite/checkpoints.js'
import { prepare, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'

const dayMs = 24 * 60 * 60 * 1000

/** A position in a list: a time in milliseconds, then the position of a row. */
type Place = [at: number, position: number]
const beforeAll: Place = [-1, -1]

/** Creates the part of the vault for ages of tokens and quarantine, on one SQLite connection. */
export function createQuarantine(dependencies: {
  readonly client: Database.Database
  readonly commits: GroupCommit
  readonly checkpoints: Pick<Checkpoints, 'empty'>
  readonly audit: AuditChain | null
  readonly clock: () => Date
}): QuarantineRows {
  const { client, commits, checkpoints, audit, clock } = dependencies
  const nowMs = () => clock().getTime()
  const findPlaces = prepare<[token: string], { position: number; createdAt: number; quarantinedAt: number | null }>(
    client,
    `SELECT position, created_at AS createdAt, quarantined_at AS quarantinedAt FROM kyc_relay_vault_tokens
    WHERE token = ?`,
  )
  const listOlder = prepare<[before: number, ...after: Place, limit: number], { token: Token }>(
    client,
    `SELECT token FROM kyc_relay_vault_tokens
    WHERE created_at < ? AND (created_at, position) > (?, ?) AND quarantined_at IS NULL
    ORDER BY created_at, position LIMIT ?`,
  )
  const listQuarantined = prepare<[before: number, ...after: Place, limit: number], { token: Token }>(
    client,
    `SELECT token FROM kyc_relay_vault_tokens
    WHERE quarantined_at IS NOT NULL AND quarantined_at < ? AND (quarantined_at, position) > (?, ?)
    ORDER BY quarantined_at, position LIMIT ?`,
  )
  const countQuarantinedAfter = prepare<[after: number], { count: number }>(
    client,
    'SELECT count(*) AS count FROM kyc_relay_vault_tokens WHERE quarantined_at IS NOT NULL AND quarantined_at > ?',
  )
  const countTokens = prepare<[limit: number], { count: number }>(
    client,
    'SELECT count(*) AS count FROM (SELECT 1 FROM kyc_relay_vault_tokens WHERE position > 0 LIMIT ?) AS bounded_rows',
  )
  const enter = prepare<[at: number, token: string]>(
    client,
    'UPDATE kyc_relay_vault_tokens SET quarantined_at = ? WHERE token = ? AND quarantined_at IS NULL',
  )
  const leave = prepare<[token: string]>(
    client,
    'UPDATE kyc_relay_vault_tokens SET quarantined_at = NULL WHERE token = ? AND quarantined_at IS NOT NULL',
  )
  const destroy = prepare<[token: string, before: number]>(
    client,
    'DELETE FROM kyc_relay_vault_tokens WHERE token = ? AND quarantined_at IS NOT NULL AND quarantined_at < ?',
  )

  const quarantinedInADay = () => countQuarantinedAfter.get(nowMs() - dayMs)?.count ?? 0

  /** Changes tokens in one transaction, records the changed ones in the audit log, and returns their number. */
  function change(
    kind: 'TOKENS_QUARANTINED' | 'TOKENS_RESTORED' | 'TOKENS_ERASED',
    tokens: readonly Token[],
    changeOne: (token: Token) => { readonly changes: number },
  ): number {
    const changed = tokens.filter((token) => changeOne(token).changes > 0)
    if (changed.length > 0) audit?.append(tokensEvent(audit.seal, kind, nowMs(), changed))
    return changed.length
  }

  return {
    listOlderThan: ({ ageMs, limit, after }) =>
      read(() => {
        const start = after === undefined ? undefined : findPlaces.get(after)
        const place: Place = start === undefined ? beforeAll : [start.createdAt, start.position]
        return listOlder.all(nowMs() - ageMs, ...place, limit).map(({ token }) => token)
      }),
    quarantine: ({ tokens, mostInADay }) =>
      commits.write(() => {
        const entering = tokens.filter((token) => findPlaces.get(token)?.quarantinedAt === null)
        if (entering.length + quarantinedInADay() > mostInADay) return null
        const atMs = nowMs()
        return change('TOKENS_QUARANTINED', entering, (token) => enter.run(atMs, token))
      }),
    listQuarantined: ({ ageMs, limit, after }) =>
      read(() => {
        const start = after === undefined ? undefined : findPlaces.get(after)
        const quarantinedAt = start?.quarantinedAt ?? null
        const place: Place = start === undefined || quarantinedAt === null ? beforeAll : [quarantinedAt, start.position]
        return listQuarantined.all(nowMs() - ageMs, ...place, limit).map(({ token }) => token)
      }),
    restore: (tokens) => commits.write(() => change('TOKENS_RESTORED', tokens, (token) => leave.run(token))),
    async destroyQuarantined({ tokens, ageMs }) {
      const before = nowMs() - ageMs
      const destroyed = await commits.write(() =>
        change('TOKENS_ERASED', tokens, (token) => destroy.run(token, before)),
      )
      await checkpoints.empty()
      return destroyed
    },
    countTokens: ({ limit }) =>
      read(() => ({ tokens: countTokens.get(limit)?.count ?? 0, quarantinedInADay: quarantinedInADay() })),
  }
}
