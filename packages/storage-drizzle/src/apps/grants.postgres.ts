import { and, eq, sql } from 'drizzle-orm'
import type { AppUser } from '@kyc-relay/kyc-core'
import type { AuditActor, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { grantWithToken, scopesWithin, type AccessTokenRow, type AppDirectory, type Grant } from './app-directory.js'
import { accessTokenIssuedEvent, grantPutEvent, grantRevokedEvent, isSameGrant } from '../audit/access-events.js'
import { asBuffer, timeOf } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import { overtaken, type PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { accessTokens, grants, revokedGrants } from './tables.postgres.js'
import { ownerKey } from '../owner-key.js'

const value = sql.placeholder
const pair = sql`app_id = ${value('appId')} AND user_id = ${value('userId')}`

type GrantRow = typeof grants.$inferSelect

const ofPair = ({ appId, userId }: AppUser) => and(eq(grants.appId, appId), eq(grants.userId, userId))

// Runs with each request that has a JWT, so it is compiled once.
const findGrantedScopes = statement<{ readonly scopes: string | null }>(
  'find_granted_scopes',
  sql`
SELECT CASE WHEN EXISTS (SELECT FROM kyc_relay_revoked_grants WHERE ${pair}) THEN '[]'
  ELSE (SELECT scopes FROM kyc_relay_grants WHERE ${pair}) END AS scopes`,
)

interface TokenRow {
  readonly appId: string
  readonly userId: string
  readonly scopes: string
  readonly expiresAt: Date
  readonly granted: string
}

// Runs with each request, so it is compiled once.
const findToken = statement<TokenRow>(
  'find_access_token',
  sql`
SELECT token.app_id AS "appId", token.user_id AS "userId", token.scopes, token.expires_at AS "expiresAt",
  permitted.scopes AS granted
FROM kyc_relay_access_tokens AS token JOIN kyc_relay_grants AS permitted USING (app_id, user_id)
WHERE token.hash = ${value('hash')} AND token.expires_at > ${value('now')}::timestamptz`,
)

/** Creates the part of the app directory for grants and their access tokens. */
export function createAppGrants(dependencies: {
  readonly db: NodePgDatabase
  readonly database: PostgresDatabase
  readonly audit: AuditChain | null
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
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
  const { db, database, audit, instant } = dependencies
  const listGrants = db
    .select()
    .from(grants)
    .where(
      sql`(${grants.appId}, ${grants.userId}) IN
        (SELECT * FROM unnest(${value('appIds')}::text[], ${value('userIds')}::text[]))`,
    )
    .prepare('kyc_relay_find_grants')
  const listGrantsOfUser = db
    .select()
    .from(grants)
    .where(eq(grants.userId, value('userId')))
    .orderBy(grants.appId)
    .prepare('kyc_relay_list_grants_of_user')

  const rowOf = (grant: Grant) => ({ ...grant, scopes: JSON.stringify(grant.scopes) })

  /** Adds the new grant, or locks the former one. Returns the former grant; null for a new one. */
  async function addOrLock(on: Queryable, grant: Grant): Promise<Grant | null> {
    const query = queryBuilder(on)
    const { rowCount } = await query.insert(grants).values(rowOf(grant)).onConflictDoNothing()
    if (rowCount === 1) return null
    const [former] = await query.select().from(grants).where(ofPair(grant)).for('no key update')
    // The grant was revoked between the two statements.
    if (former === undefined) throw overtaken
    return readGrant(former)
  }

  /** Writes the grant that follows the former one, which is locked. */
  async function putGrant(
    on: Queryable,
    former: Grant | null,
    grant: Grant,
    actor: AuditActor | undefined,
  ): Promise<void> {
    const query = queryBuilder(on)
    const { appId, userId } = grant
    // Updates the row: replacing it would also delete its access tokens.
    if (former !== null) await query.update(grants).set(rowOf(grant)).where(ofPair(grant))
    await query.delete(revokedGrants).where(and(eq(revokedGrants.appId, appId), eq(revokedGrants.userId, userId)))
    if (former !== null && isSameGrant(former, grant)) return
    await audit?.append(on, userId, (nowMs) => grantPutEvent(audit.seal, former, grant, nowMs), actor)
  }

  async function addAccessToken(on: Queryable, token: AccessTokenRow, actor: AuditActor | undefined): Promise<void> {
    await queryBuilder(on)
      .insert(accessTokens)
      .values({ ...token, scopes: JSON.stringify(token.scopes) })
    await audit?.append(on, token.userId, (nowMs) => accessTokenIssuedEvent(audit.seal, token, nowMs), actor)
  }

  return {
    putGrant: (grant, actor) =>
      database.transaction(async (on) => putGrant(on, await addOrLock(on, grant), grant, actor)),
    findGrants: (pairs) =>
      database.run(async () => {
        const appIds = pairs.map(({ appId }) => appId)
        const rows = await listGrants.execute({ appIds, userIds: pairs.map(({ userId }) => userId) })
        const found = new Map(rows.map((row) => [ownerKey(row), readGrant(row)]))
        return pairs.map((pair) => found.get(ownerKey(pair)) ?? null)
      }),
    findGrantedScopes: (request) =>
      database.run(async (on) => {
        const scopes = (await findGrantedScopes.rows(on, request))[0]?.scopes ?? null
        return scopes === null ? null : (JSON.parse(scopes) as string[])
      }),
    revokeGrant: (request) =>
      database.transaction(async (on) => {
        const query = queryBuilder(on)
        const [former] = await query.delete(grants).where(ofPair(request)).returning()
        if (former === undefined) return false
        const { appId, userId } = request
        const revokedAt = timeOf(instant())
        const [revocation] = await query
          .insert(revokedGrants)
          .values({ appId, userId, revokedAt })
          .onConflictDoUpdate({ target: [revokedGrants.appId, revokedGrants.userId], set: { revokedAt } })
          .returning()
        if (revocation === undefined) throw overtaken
        const eventAt = (seal: AuditSeal) => (nowMs: number) =>
          grantRevokedEvent(seal, readGrant(former), revocation, nowMs)
        await audit?.append(on, userId, eventAt(audit.seal), request.actor)
        return true
      }),
    listGrantsOfUser: (userId) => database.run(async () => (await listGrantsOfUser.execute({ userId })).map(readGrant)),

    issueAccessToken: ({ actor, ...request }) =>
      database.transaction(async (on) => {
        const former = await addOrLock(on, grantWithToken(null, request))
        const grant = grantWithToken(former, request)
        await putGrant(on, former, grant, actor)
        await addAccessToken(on, request.token, actor)
        return grant
      }),
    addAccessToken: (token, actor) => database.transaction((on) => addAccessToken(on, token, actor)),
    findAccessToken: (hash, now) =>
      database.run(async (on) => {
        const [row] = await findToken.rows(on, { hash: asBuffer(hash), now })
        if (row === undefined) return null
        const { granted, scopes, ...token } = row
        return {
          ...token,
          hash: new Uint8Array(hash),
          scopes: scopesWithin(JSON.parse(scopes) as string[], JSON.parse(granted) as string[]),
        }
      }),
  }
}

function readGrant(row: GrantRow): Grant {
  const { appId, userId, accountId, externalReferenceId } = row
  return { appId, userId, accountId, externalReferenceId, scopes: JSON.parse(row.scopes) as string[] }
}
