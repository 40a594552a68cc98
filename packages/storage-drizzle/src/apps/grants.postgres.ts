import { eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { scopesWithin, type AppDirectory, type Grant } from './app-directory.js'
import { accessTokenIssuedEvent, grantPutEvent, grantRevokedEvent, isSameGrant } from '../audit/access-events.js'
import { asBuffer, now } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import { overtaken, type PostgresDatabase } from '../engine/postgres/database.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'
import { grants } from './tables.postgres.js'

const value = sql.placeholder
const pair = sql`app_id = ${value('appId')} AND user_id = ${value('userId')}`
const grantColumns = sql`app_id AS "appId", user_id AS "userId", account_id AS "accountId",
  external_reference_id AS "externalReferenceId", scopes`

type GrantRow = typeof grants.$inferSelect

const insertGrant = statement(
  'insert_grant',
  sql`
INSERT INTO kyc_relay_grants (app_id, user_id, account_id, external_reference_id, scopes)
VALUES (${value('appId')}, ${value('userId')}, ${value('accountId')}, ${value('externalReferenceId')},
  ${value('scopes')})
ON CONFLICT (app_id, user_id) DO NOTHING`,
)

const lockGrant = statement<GrantRow>(
  'lock_grant',
  sql`SELECT ${grantColumns} FROM kyc_relay_grants WHERE ${pair} FOR NO KEY UPDATE`,
)

// Updates the row: replacing it would also delete its access tokens.
const updateGrant = statement(
  'update_grant',
  sql`
UPDATE kyc_relay_grants SET account_id = ${value('accountId')}, external_reference_id = ${value('externalReferenceId')},
  scopes = ${value('scopes')}
WHERE ${pair}`,
)

const deleteGrant = statement<GrantRow>(
  'delete_grant',
  sql`DELETE FROM kyc_relay_grants WHERE ${pair} RETURNING ${grantColumns}`,
)

const rememberRevocation = statement(
  'remember_revocation',
  sql`
INSERT INTO kyc_relay_revoked_grants (app_id, user_id, revoked_at) VALUES (${value('appId')}, ${value('userId')}, ${now})
ON CONFLICT (app_id, user_id) DO UPDATE SET revoked_at = excluded.revoked_at`,
)

const forgetRevocation = statement('forget_revocation', sql`DELETE FROM kyc_relay_revoked_grants WHERE ${pair}`)

const findGrantedScopes = statement<{ readonly scopes: string | null }>(
  'find_granted_scopes',
  sql`
SELECT CASE WHEN EXISTS (SELECT FROM kyc_relay_revoked_grants WHERE ${pair}) THEN '[]'
  ELSE (SELECT scopes FROM kyc_relay_grants WHERE ${pair}) END AS scopes`,
)

const insertToken = statement(
  'insert_access_token',
  sql`
INSERT INTO kyc_relay_access_tokens (hash, app_id, user_id, scopes, expires_at)
VALUES (${value('hash')}, ${value('appId')}, ${value('userId')}, ${value('scopes')}, ${value('expiresAt')})`,
)

interface TokenRow {
  readonly appId: string
  readonly userId: string
  readonly scopes: string
  readonly expiresAt: Date
  readonly granted: string
}

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

  /** Writes the grant. Returns the former grant; null for a new one. */
  async function writeGrant(on: Queryable, grant: Grant): Promise<Grant | null> {
    const columns = { ...grant, scopes: JSON.stringify(grant.scopes) }
    if ((await insertGrant.count(on, columns)) === 1) return null
    const [former] = await lockGrant.rows(on, columns)
    // The grant was revoked between the two statements.
    if (former === undefined) throw overtaken
    await updateGrant.count(on, columns)
    return readGrant(former)
  }

  return {
    putGrant: (grant) =>
      database.transaction(async (on) => {
        const former = await writeGrant(on, grant)
        await forgetRevocation.count(on, { ...grant })
        if (former !== null && isSameGrant(former, grant)) return
        await audit?.append(on, grant.userId, (nowMs) => grantPutEvent(audit.seal, former, grant, nowMs))
      }),
    findGrants: (pairs) =>
      database.run(async () => {
        const appIds = pairs.map(({ appId }) => appId)
        const rows = await listGrants.execute({ appIds, userIds: pairs.map(({ userId }) => userId) })
        const found = new Map(rows.map((row) => [JSON.stringify([row.appId, row.userId]), readGrant(row)]))
        return pairs.map(({ appId, userId }) => found.get(JSON.stringify([appId, userId])) ?? null)
      }),
    findGrantedScopes: (request) =>
      database.run(async (on) => {
        const scopes = (await findGrantedScopes.rows(on, request))[0]?.scopes ?? null
        return scopes === null ? null : (JSON.parse(scopes) as string[])
      }),
    revokeGrant: (request) =>
      database.transaction(async (on) => {
        const [former] = await deleteGrant.rows(on, request)
        if (former === undefined) return false
        await rememberRevocation.count(on, { ...request, now: instant() })
        await audit?.append(on, request.userId, (nowMs) => grantRevokedEvent(audit.seal, readGrant(former), nowMs))
        return true
      }),
    listGrantsOfUser: (userId) => database.run(async () => (await listGrantsOfUser.execute({ userId })).map(readGrant)),

    addAccessToken: (token) =>
      database.transaction(async (on) => {
        const row = { ...token, hash: asBuffer(token.hash), scopes: JSON.stringify(token.scopes) }
        await insertToken.count(on, row)
        await audit?.append(on, token.userId, (nowMs) => accessTokenIssuedEvent(audit.seal, token, nowMs))
      }),
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
