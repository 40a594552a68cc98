import { and, desc, eq, gt, isNull, lt, lte, or, type SQL } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import {
  apiKeyActivatedEvent,
  apiKeyAddedEvent,
  apiKeyDiscardedEvent,
  apiKeyIssuedEvent,
  apiKeyRevokedEvent,
} from '../audit/api-key-events.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import { apiKeys, apps } from './tables.postgres.js'

const acceptedAt = (now: Date) => or(isNull(apiKeys.retiredAt), gt(apiKeys.retiredAt, now))

/** Returns the newest version of an app's keys that meet the condition. */
async function newestWhere(on: Queryable, appId: string, condition?: SQL): Promise<number | undefined> {
  const [newest] = await queryBuilder(on)
    .select({ version: apiKeys.version })
    .from(apiKeys)
    .where(and(eq(apiKeys.appId, appId), condition))
    .orderBy(desc(apiKeys.version))
    .limit(1)
  return newest?.version
}

/** Changes one key and returns whether it was there. */
async function update(
  on: Queryable,
  { appId, version }: { readonly appId: string; readonly version: number },
  change: Partial<typeof apiKeys.$inferInsert>,
  condition?: SQL,
): Promise<boolean> {
  const ofVersion = and(eq(apiKeys.appId, appId), eq(apiKeys.version, version))
  const { rowCount } = await queryBuilder(on).update(apiKeys).set(change).where(and(ofVersion, condition))
  return rowCount === 1
}

const retireOlder = (on: Queryable, appId: string, version: number, retiredAt: Date) =>
  queryBuilder(on)
    .update(apiKeys)
    .set({ retiredAt })
    .where(and(eq(apiKeys.appId, appId), lt(apiKeys.version, version), acceptedAt(retiredAt)))

/** Inserts a key inside the caller's transaction. */
export const insertKey = (on: Queryable, key: ApiKeyRow, issuedReason: string | null) =>
  queryBuilder(on)
    .insert(apiKeys)
    .values({ ...key, issuedReason })

type AtNow = { readonly appId: string; readonly now: Date }

/**
 * Creates the part of the app directory that changes API keys. Each change is one transaction with its audit entries.
 */
export function createAppKeyChanges(dependencies: {
  readonly database: PostgresDatabase
  readonly audit: AuditChain | null
}): Pick<
  AppDirectory,
  'findNewestApiKeyVersion' | 'addApiKey' | 'activateApiKey' | 'discardApiKey' | 'revokeApiKey' | 'issueApiKey'
> {
  const { database, audit } = dependencies

  const newestVersion = async (on: Queryable, appId: string) => (await newestWhere(on, appId)) ?? 0
  const waitingVersion = (on: Queryable, { appId, now }: AtNow) =>
    newestWhere(on, appId, and(gt(apiKeys.signsFrom, now), acceptedAt(now)))
  const signingVersion = (on: Queryable, { appId, now }: AtNow) =>
    newestWhere(on, appId, and(lte(apiKeys.signsFrom, now), acceptedAt(now)))

  /** Runs a change of one app's keys under the lock. */
  const change = <T>(appId: string, work: (on: Queryable) => Promise<T>): Promise<T> =>
    database.transaction(async (on) => {
      await queryBuilder(on).select({ appId: apps.appId }).from(apps).where(eq(apps.appId, appId)).for('no key update')
      return work(on)
    })

  async function discardWaiting(on: Queryable, { appId, now }: AtNow, actor?: AuditActor): Promise<boolean> {
    const version = await waitingVersion(on, { appId, now })
    if (version === undefined) return false
    await update(on, { appId, version }, { retiredAt: now }, acceptedAt(now))
    await audit?.append(on, appId, () => apiKeyDiscardedEvent(audit.seal, { appId, version, now }), actor)
    return true
  }

  return {
    findNewestApiKeyVersion: (appId) => database.run((on) => newestVersion(on, appId)),
    addApiKey: (key) =>
      change(key.appId, async (on) => {
        if ((await waitingVersion(on, { appId: key.appId, now: key.createdAt })) !== undefined)
          return 'rotation_pending'
        if (key.version <= (await newestVersion(on, key.appId))) return 'version_taken'
        await insertKey(on, key, null)
        await audit?.append(on, key.appId, () => apiKeyAddedEvent(audit.seal, key))
        return 'added'
      }),
    activateApiKey: (request) =>
      change(request.appId, async (on) => {
        const version = await waitingVersion(on, request)
        if (version === undefined) return false
        const { appId, now } = request
        await update(on, { appId, version }, { signsFrom: now })
        await retireOlder(on, appId, version, request.retireOldAt)
        await audit?.append(on, appId, () => apiKeyActivatedEvent(audit.seal, { ...request, version }))
        return true
      }),
    discardApiKey: (request) => change(request.appId, (on) => discardWaiting(on, request)),
    revokeApiKey: (request) =>
      change(request.appId, async (on) => {
        const { appId, version, now, reason } = request
        const signing = await signingVersion(on, request)
        const ended = { retiredAt: now, revokedReason: reason }
        if (!(await update(on, request, ended, acceptedAt(now)))) return false
        const next = version === signing ? await waitingVersion(on, request) : undefined
        // No older key signs again: it was already being retired.
        if (version === signing) await retireOlder(on, appId, version, now)
        if (next !== undefined) await update(on, { appId, version: next }, { signsFrom: now })
        await audit?.append(on, appId, () => apiKeyRevokedEvent(audit.seal, request), request.actor)
        if (next === undefined) return true
        const activated = { appId, version: next, now, retireOldAt: now }
        await audit?.append(on, appId, () => apiKeyActivatedEvent(audit.seal, activated), request.actor)
        return true
      }),
    issueApiKey: ({ key, reason, actor }) =>
      change(key.appId, async (on) => {
        const at = { appId: key.appId, now: key.createdAt }
        if (key.version <= (await newestVersion(on, key.appId))) return 'version_taken'
        await discardWaiting(on, at, actor)
        const signing = await signingVersion(on, at)
        const issued = { ...key, signsFrom: signing === undefined ? key.createdAt : key.signsFrom }
        await insertKey(on, issued, reason)
        await audit?.append(on, key.appId, () => apiKeyIssuedEvent(audit.seal, issued, reason), actor)
        return { signsFrom: issued.signsFrom }
      }),
  }
}
