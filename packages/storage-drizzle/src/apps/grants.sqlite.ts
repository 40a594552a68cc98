import type Database from 'better-sqlite3'
import { and, eq, sql } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import { grantWithToken, scopesWithin, type AccessTokenRow, type AppDirectory, type Grant } from './app-directory.js'
import { accessTokenIssuedEvent, grantPutEvent, grantRevokedEvent, isSameGrant } from '../audit/access-events.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { type DrizzleDatabase, prepareRows, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { accessTokens, grants, revokedGrants } from './tables.sqlite.js'

const value = sql.placeholder

function prepareStatements(client: Database.Database, db: DrizzleDatabase) {
  const grantOf = and(eq(grants.appId, value('appId')), eq(grants.userId, value('userId')))
  const revocationOf = and(eq(revokedGrants.appId, value('appId')), eq(revokedGrants.userId, value('userId')))
  return {
    putGrant: db
      .insert(grants)
      .values({
        appId: value('appId'),
        userId: value('userId'),
        accountId: value('accountId'),
        externalReferenceId: value('externalReferenceId'),
        scopes: value('scopes'),
      })
      // Updates the row: replacing it would also delete its access tokens.
      .onConflictDoUpdate({
        target: [grants.appId, grants.userId],
        set: {
          accountId: sql`excluded.account_id`,
          externalReferenceId: sql`excluded.external_reference_id`,
          scopes: sql`excluded.scopes`,
        },
      })
      .prepare(),
    findGrant: db.select().from(grants).where(grantOf).prepare(),
    listGrantsOfUser: db
      .select()
      .from(grants)
      .where(eq(grants.userId, value('userId')))
      .orderBy(grants.appId)
      .prepare(),
    deleteGrant: db.delete(grants).where(grantOf).prepare(),
    rememberRevocation: db
      .insert(revokedGrants)
      .values({ appId: value('appId'), userId: value('userId'), revokedAt: value('revokedAt') })
      .onConflictDoUpdate({
        target: [revokedGrants.appId, revokedGrants.userId],
        set: { revokedAt: sql`excluded.revoked_at` },
      })
      .prepare(),
    forgetRevocation: db.delete(revokedGrants).where(revocationOf).prepare(),
    findRevocation: db.select({ revokedAt: revokedGrants.revokedAt }).from(revokedGrants).where(revocationOf).prepare(),
    insertToken: db
      .insert(accessTokens)
      .values({
        hash: value('hash'),
        appId: value('appId'),
        userId: value('userId'),
        scopes: value('scopes'),
        expiresAt: value('expiresAt'),
      })
      .prepare(),
    // Runs with every request, so it is prepared without the query builder.
    findToken: prepareRows<
      [hash: Uint8Array, now: number],
      [appId: string, userId: string, scopes: string, expiresAt: number, granted: string]
    >(
      client,
      `SELECT t.app_id, t.user_id, t.scopes, t.expires_at, g.scopes
       FROM kyc_relay_access_tokens t JOIN kyc_relay_grants g ON g.app_id = t.app_id AND g.user_id = t.user_id
       WHERE t.hash = ? AND t.expires_at > ?`,
    ),
  }
}

/** Creates the part of the app directory for grants and their access tokens. */
export function createAppGrants(dependencies: {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly audit: AuditChain | null
  readonly clock: () => Date
}): Pick<
  AppDirectory,
  | 'putGrant'
  | 'findGrants'
  | 'findGrantedScopes'
  | 'revokeGrant'
  | 'listGrantsOfUser'
  | 'issueAccessToken'
  | 'addAccessToken'
  | 'findAccessToken'
> {
  const { client, db, commits, audit, clock } = dependencies
  const statements = prepareStatements(client, db)

  function findGrant(pair: { readonly appId: string; readonly userId: string }): Grant | null {
    const row = statements.findGrant.get({ appId: pair.appId, userId: pair.userId })
    return row === undefined ? null : readGrant(row)
  }

  function putGrant(former: Grant | null, grant: Grant, actor: AuditActor | undefined): void {
    statements.putGrant.run({ ...grant, scopes: JSON.stringify(grant.scopes) })
    statements.forgetRevocation.run({ appId: grant.appId, userId: grant.userId })
    if (former !== null && isSameGrant(former, grant)) return
    audit?.append(grantPutEvent(audit.seal, former, grant, clock().getTime()), actor)
  }

  function addAccessToken(token: AccessTokenRow, actor: AuditActor | undefined): void {
    const { hash, appId, userId, scopes, expiresAt } = token
    const row = { hash, appId, userId, scopes: JSON.stringify(scopes), expiresAt: expiresAt.getTime() }
    statements.insertToken.run(row)
    audit?.append(accessTokenIssuedEvent(audit.seal, token, clock().getTime()), actor)
  }

  return {
    putGrant: (grant, actor) => commits.write(() => putGrant(findGrant(grant), grant, actor)),
    findGrants: (pairs) => read(() => pairs.map(findGrant)),
    findGrantedScopes: ({ appId, userId }) =>
      read(() => {
        if (statements.findRevocation.get({ appId, userId }) !== undefined) return []
        return findGrant({ appId, userId })?.scopes ?? null
      }),
    revokeGrant: ({ appId, userId, actor }) =>
      commits.write(() => {
        const former = findGrant({ appId, userId })
        if (former === null) return false
        const now = clock().getTime()
        statements.deleteGrant.run({ appId, userId })
        statements.rememberRevocation.run({ appId, userId, revokedAt: now })
        audit?.append(grantRevokedEvent(audit.seal, former, { appId, userId, revokedAt: now }, now), actor)
        return true
      }),
    listGrantsOfUser: (userId) => read(() => statements.listGrantsOfUser.all({ userId }).map(readGrant)),

    issueAccessToken: ({ actor, ...request }) =>
      commits.write(() => {
        const former = findGrant(request.token)
        const grant = grantWithToken(former, request)
        putGrant(former, grant, actor)
        addAccessToken(request.token, actor)
        return grant
      }),
    addAccessToken: (token, actor) => commits.write(() => addAccessToken(token, actor)),
    findAccessToken: (hash, now) =>
      read(() => {
        const row = statements.findToken.get(hash, now.getTime())
        if (row === undefined) return null
        const [appId, userId, scopes, expiresAt, granted] = row
        return {
          hash: new Uint8Array(hash),
          appId,
          userId,
          scopes: scopesWithin(JSON.parse(scopes) as string[], JSON.parse(granted) as string[]),
          expiresAt: new Date(expiresAt),
        }
      }),
  }
}

function readGrant(row: typeof grants.$inferSelect): Grant {
  const { appId, userId, accountId, externalReferenceId } = row
  return { appId, userId, accountId, externalReferenceId, scopes: JSON.parse(row.scopes) as string[] }
}
