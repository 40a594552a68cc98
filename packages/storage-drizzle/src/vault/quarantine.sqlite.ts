import { and, asc, count, eq, gt, isNotNull, isNull, lt, sql, type SQL } from 'drizzle-orm'
import type { OwnedToken } from '@kyc-relay/kyc-core'
import type { QuarantineRows } from './vault-rows.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import type { Checkpoints } from '../engine/sqlite/checkpoints.js'
import { type DrizzleDatabase, given, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { tokens } from './tables.sqlite.js'
import { tokensEvent } from './tokens-event.js'

const dayMs = 24 * 60 * 60 * 1000

/** A position in a list: a time in milliseconds, then the position of a row. */
interface Place {
  readonly afterAt: number
  readonly afterPosition: number
}
const beforeAll: Place = { afterAt: -1, afterPosition: -1 }

const value = sql.placeholder

function prepareStatements(db: DrizzleDatabase) {
  const ofToken = and(
    eq(tokens.token, value('token')),
    eq(tokens.appId, value('appId')),
    eq(tokens.userId, value('userId')),
  )
  const inQuarantine = isNotNull(tokens.quarantinedAt)
  /** Lists tokens by a time: those before a limit, after a place of the list. */
  const listBy = (at: typeof tokens.createdAt | typeof tokens.quarantinedAt, condition: SQL) =>
    db
      .select({ appId: tokens.appId, userId: tokens.userId, token: tokens.token })
      .from(tokens)
      .where(
        and(
          lt(at, value('before')),
          sql`(${at}, ${tokens.position}) > (${value('afterAt')}, ${value('afterPosition')})`,
          condition,
        ),
      )
      .orderBy(asc(at), asc(tokens.position))
      .limit(value('limit'))
      .prepare()
  const bounded = db
    .select({ one: sql`1` })
    .from(tokens)
    .where(gt(tokens.position, 0))
    .limit(value('limit'))
    .as('bounded_rows')
  return {
    findPlaces: db
      .select({ position: tokens.position, createdAt: tokens.createdAt, quarantinedAt: tokens.quarantinedAt })
      .from(tokens)
      .where(ofToken)
      .prepare(),
    listOlder: listBy(tokens.createdAt, isNull(tokens.quarantinedAt)),
    listQuarantined: listBy(tokens.quarantinedAt, inQuarantine),
    countQuarantinedAfter: db
      .select({ count: count() })
      .from(tokens)
      .where(and(inQuarantine, gt(tokens.quarantinedAt, value('after'))))
      .prepare(),
    countTokens: db.select({ count: count() }).from(bounded).prepare(),
    enter: db
      .update(tokens)
      .set({ quarantinedAt: given('at') })
      .where(and(ofToken, isNull(tokens.quarantinedAt)))
      .prepare(),
    leave: db.update(tokens).set({ quarantinedAt: null }).where(and(ofToken, inQuarantine)).prepare(),
    destroy: db
      .delete(tokens)
      .where(and(ofToken, inQuarantine, lt(tokens.quarantinedAt, value('before'))))
      .prepare(),
  }
}

/** Creates the part of the vault for ages of tokens and quarantine, on one SQLite connection. */
export function createQuarantine(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly checkpoints: Pick<Checkpoints, 'empty'>
  readonly audit: AuditChain | null
  readonly clock: () => Date
}): QuarantineRows {
  const { db, commits, checkpoints, audit, clock } = dependencies
  const statements = prepareStatements(db)
  const nowMs = () => clock().getTime()

  const quarantinedInADay = () => statements.countQuarantinedAfter.get({ after: nowMs() - dayMs })?.count ?? 0

  /** Changes tokens in one transaction, records the changed ones in the audit log, and returns their number. */
  function change(
    kind: 'TOKENS_QUARANTINED' | 'TOKENS_RESTORED' | 'TOKENS_ERASED',
    changing: readonly OwnedToken[],
    changeOne: (owned: OwnedToken) => { readonly changes: number },
  ): number {
    const changed = changing.filter((owned) => changeOne(owned).changes > 0).map(({ token }) => token)
    if (changed.length > 0) audit?.append(tokensEvent(audit.seal, kind, nowMs(), changed))
    return changed.length
  }

  return {
    listOlderThan: ({ ageMs, limit, after }) =>
      read(() => {
        const start = after === undefined ? undefined : statements.findPlaces.get({ ...after })
        const place: Place =
          start === undefined ? beforeAll : { afterAt: start.createdAt, afterPosition: start.position }
        return statements.listOlder.all({ before: nowMs() - ageMs, ...place, limit })
      }),
    quarantine: ({ tokens, mostInADay }) =>
      commits.write(() => {
        const entering = tokens.filter((owned) => statements.findPlaces.get({ ...owned })?.quarantinedAt === null)
        if (entering.length + quarantinedInADay() > mostInADay) return null
        const atMs = nowMs()
        return change('TOKENS_QUARANTINED', entering, (owned) => statements.enter.run({ at: atMs, ...owned }))
      }),
    listQuarantined: ({ ageMs, limit, after }) =>
      read(() => {
        const start = after === undefined ? undefined : statements.findPlaces.get({ ...after })
        const quarantinedAt = start?.quarantinedAt ?? null
        const place: Place =
          start === undefined || quarantinedAt === null
            ? beforeAll
            : { afterAt: quarantinedAt, afterPosition: start.position }
        return statements.listQuarantined.all({ before: nowMs() - ageMs, ...place, limit })
      }),
    restore: (tokens) =>
      commits.write(() => change('TOKENS_RESTORED', tokens, (owned) => statements.leave.run({ ...owned }))),
    async destroyQuarantined({ tokens, ageMs }) {
      const before = nowMs() - ageMs
      const destroyed = await commits.write(() =>
        change('TOKENS_ERASED', tokens, (owned) => statements.destroy.run({ ...owned, before })),
      )
      await checkpoints.empty()
      return destroyed
    },
    countTokens: ({ limit }) =>
      read(() => ({
        tokens: statements.countTokens.get({ limit })?.count ?? 0,
        quarantinedInADay: quarantinedInADay(),
      })),
  }
}
