import { and, desc, eq, gt, isNull, lt, lte, or, type SQL } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { ApiKeyRow, AppDirectory } from './app-directory.js'
import type { StoredApiKey } from '../audit/access-rows.js'
import { apiKeyEvent } from '../audit/api-key-events.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import { StorageError } from '../storage-error.js'
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

/** Changes one key and returns its row; none if it was not there. */
function update(
  on: Queryable,
  { appId, version }: { readonly appId: string; readonly version: number },
  change: Partial<typeof apiKeys.$inferInsert>,
  condition?: SQL,
): Promise<readonly StoredApiKey[]> {
  const ofVersion = and(eq(apiKeys.appId, appId), eq(apiKeys.version, version))
  return queryBuilder(on).update(apiKeys).set(change).where(and(ofVersion, condition)).returning()
}

const retireOlder = (
  on: Queryable,
  appId: string,
  version: number,
  retiredAt: Date,
): Promise<readonly StoredApiKey[]> =>
  queryBuilder(on)
    .update(apiKeys)
    .set({ retiredAt })
    .where(and(eq(apiKeys.appId, appId), lt(apiKeys.version, version), acceptedAt(retiredAt)))
    .returning()

/** Inserts a key inside the caller's transaction. Returns its row. */
export async function insertKey(on: Queryable, key: ApiKeyRow, issuedReason: string | null): Promise<StoredApiKey> {
  const [row] = await queryBuilder(on)
    .insert(apiKeys)
    .values({ ...key, issuedReason })
    .returning()
  if (row === undefined) throw new StorageError('STORE_UNAVAILABLE')
  return row
}

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

  /** Writes one entry for each changed key. Call it after all changes: it locks the chain. */
  async function record(
    on: Queryable,
    kind: Parameters<typeof apiKeyEvent>[1],
    rows: readonly StoredApiKey[],
    at: Date,
    actor?: AuditActor,
  ): Promise<void> {
    for (const row of [...rows].sort((one, other) => one.version - other.version)) {
      await audit?.append(on, row.appId, () => apiKeyEvent(audit.seal, kind, row, at), actor)
    }
  }

  /** Discards a waiting version. Returns its row; none if no version waits. */
  async function discardWaiting(on: Queryable, { appId, now }: AtNow): Promise<readonly StoredApiKey[]> {
    const version = await waitingVersion(on, { appId, now })
    return version === undefined ? [] : update(on, { appId, version }, { retiredAt: now }, acceptedAt(now))
  }

  return {
    findNewestApiKeyVersion: (appId) => database.run((on) => newestVersion(on, appId)),
    addApiKey: (key) =>
      change(key.appId, async (on) => {
        if ((await waitingVersion(on, { appId: key.appId, now: key.createdAt })) !== undefined)
          return 'rotation_pending'
        if (key.version <= (await newestVersion(on, key.appId))) return 'version_taken'
        await record(on, 'API_KEY_ADDED', [await insertKey(on, key, null)], key.createdAt)
        return 'added'
      }),
    activateApiKey: (request) =>
      change(request.appId, async (on) => {
        const version = await waitingVersion(on, request)
        if (version === undefined) return false
        const { appId, now } = request
        const activated = await update(on, { appId, version }, { signsFrom: now })
        const retired = await retireOlder(on, appId, version, request.retireOldAt)
        await record(on, 'API_KEY_ACTIVATED', activated, now)
        await record(on, 'API_KEY_RETIRED', retired, now)
        return true
      }),
    discardApiKey: (request) =>
      change(request.appId, async (on) => {
        const discarded = await discardWaiting(on, request)
        await record(on, 'API_KEY_DISCARDED', discarded, request.now)
        return discarded.length > 0
      }),
    revokeApiKey: (request) =>
      change(request.appId, async (on) => {
        const { appId, version, now, reason, actor } = request
        const signing = await signingVersion(on, request)
        const ended = await update(on, request, { retiredAt: now, revokedReason: reason }, acceptedAt(now))
        if (ended.length === 0) return false
        const next = version === signing ? await waitingVersion(on, request) : undefined
        // No older key signs again: it was already being retired.
        const retired = version === signing ? await retireOlder(on, appId, version, now) : []
        const activated = next === undefined ? [] : await update(on, { appId, version: next }, { signsFrom: now })
        await record(on, 'API_KEY_REVOKED', ended, now, actor)
        await record(on, 'API_KEY_RETIRED', retired, now, actor)
        await record(on, 'API_KEY_ACTIVATED', activated, now, actor)
        return true
      }),
    issueApiKey: ({ key, reason, actor }) =>
      change(key.appId, async (on) => {
        const at = { appId: key.appId, now: key.createdAt }
        if (key.version <= (await newestVersion(on, key.appId))) return 'version_taken'
        const discarded = await discardWaiting(on, at)
        const signing = await signingVersion(on, at)
        const issued = { ...key, signsFrom: signing === undefined ? key.createdAt : key.signsFrom }
        const row = await insertKey(on, issued, reason)
        await record(on, 'API_KEY_DISCARDED', discarded, at.now, actor)
        await record(on, 'API_KEY_ISSUED', [row], at.now, actor)
        return { signsFrom: issued.signsFrom }
      }),
  }
}
