import { and, asc, eq, gt, max, sql } from 'drizzle-orm'
import type { AppUser } from '@kyc-relay/kyc-core'
import type { VaultInspection, VaultReference } from './vault-inspection.js'
import { checkedLimit } from '../pages.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { duplicatesListedEvent } from '../audit/export-events.js'
import { vaultAuditEntries } from '../audit/tables.sqlite.js'
import { dataKeys, keyChecks, tokens } from './tables.sqlite.js'

const value = sql.placeholder

function prepareStatements(db: DrizzleDatabase) {
  return {
    findDataKey: db
      .select({ position: dataKeys.position })
      .from(dataKeys)
      .where(and(eq(dataKeys.appId, value('appId')), eq(dataKeys.userId, value('userId'))))
      .prepare(),
    findNextApp: db
      .select({ appId: dataKeys.appId })
      .from(dataKeys)
      .where(gt(dataKeys.appId, value('after')))
      .orderBy(asc(dataKeys.appId))
      .limit(1)
      .prepare(),
    findToken: db
      .select({ position: tokens.position })
      .from(tokens)
      .where(
        and(eq(tokens.token, value('token')), eq(tokens.appId, value('appId')), eq(tokens.userId, value('userId'))),
      )
      .prepare(),
    findErasure: db
      .select({ at: max(vaultAuditEntries.at) })
      .from(vaultAuditEntries)
      .where(
        and(
          // Spelled out: with a parameter SQLite would not use the partial index.
          sql`${vaultAuditEntries.kind} = 'OWNER_ERASED'`,
          eq(vaultAuditEntries.appId, value('appId')),
          eq(vaultAuditEntries.userId, value('userId')),
        ),
      )
      .prepare(),
    listShared: db
      .select({
        field: tokens.field,
        userIds: sql<string>`json_group_array(DISTINCT ${tokens.userId})`,
      })
      .from(tokens)
      .where(eq(tokens.appId, value('appId')))
      .groupBy(tokens.field, tokens.fingerprint)
      .having(sql`count(DISTINCT ${tokens.userId}) > 1`)
      .orderBy(sql`min(${tokens.token})`)
      .limit(value('limit'))
      .offset(value('skip'))
      .prepare(),
    findAnyDataKey: db
      .select({ position: dataKeys.position })
      .from(dataKeys)
      .where(gt(dataKeys.position, 0))
      .limit(1)
      .prepare(),
    findNextKeyId: db
      .select({ keyId: dataKeys.keyId })
      .from(dataKeys)
      .where(gt(dataKeys.keyId, value('after')))
      .orderBy(asc(dataKeys.keyId))
      .limit(1)
      .prepare(),
    listKeyChecks: db.select().from(keyChecks).where(gt(keyChecks.keyId, '')).orderBy(asc(keyChecks.keyId)).prepare(),
    addKeyCheck: db
      .insert(keyChecks)
      .values({ keyId: value('keyId'), purpose: value('purpose'), checkValue: value('checkValue') })
      .onConflictDoNothing()
      .prepare(),
  }
}

/** Creates the inspection of the vault of one SQLite connection. Opens no value. */
export function createVaultInspection({
  db,
  commits,
  audit,
  clock,
}: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly audit: AuditChain | null
  readonly clock: () => Date
}): VaultInspection {
  const statements = prepareStatements(db)

  function findErasure({ appId, userId }: AppUser): Date | null {
    const atMs = statements.findErasure.get({ appId, userId })?.at ?? null
    return atMs === null ? null : new Date(atMs)
  }

  function isLacking({ appId, userId, tokens: needed }: VaultReference): boolean {
    const isWhole =
      statements.findDataKey.get({ appId, userId }) !== undefined &&
      needed.every((token) => statements.findToken.get({ token, appId, userId }) !== undefined)
    return !isWhole && findErasure({ appId, userId }) === null
  }

  return {
    countLacking: (references) => read(() => references.filter(isLacking).length),
    findErasure: (owner) => read(() => findErasure(owner)),
    listAppsOfUser: (userId) =>
      read(() => {
        const appIds: string[] = []
        // The index of owners begins with the app: one look-up for each app is less than all data keys.
        let appId = statements.findNextApp.get({ after: '' })?.appId
        while (appId !== undefined) {
          if (statements.findDataKey.get({ appId, userId }) !== undefined) appIds.push(appId)
          appId = statements.findNextApp.get({ after: appId })?.appId
        }
        return appIds
      }),
    async listShared({ appId, skip, limit, actor }) {
      const page = { appId, skip, limit: checkedLimit(limit) }
      if (audit !== null)
        await commits.write(() => audit.append(duplicatesListedEvent(audit.seal, page, clock().getTime()), actor))
      return read(() =>
        statements.listShared
          .all(page)
          .map(({ field, userIds }) => ({ field, userIds: (JSON.parse(userIds) as string[]).sort() })),
      )
    },
    isEmpty: () => read(() => statements.findAnyDataKey.get() === undefined),
    listWrappingKeyIds: () =>
      read(() => {
        const keyIds: string[] = []
        for (;;) {
          const next = statements.findNextKeyId.get({ after: keyIds.at(-1) ?? '' })
          if (next === undefined) return keyIds
          keyIds.push(next.keyId)
        }
      }),
    listKeyChecks: () => read(() => statements.listKeyChecks.all()),
    addKeyChecks: (checks) =>
      commits.write(() => {
        for (const { keyId, purpose, checkValue } of checks) statements.addKeyCheck.run({ keyId, purpose, checkValue })
      }),
  }
}
