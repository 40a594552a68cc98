import { createHash } from 'node:crypto'
import type { AccessTokenRow, ApiKeyRow, AppDirectory, Grant } from '../../apps/app-directory.js'
import { startOfTests, uuid } from '../sample-records.js'

/** Handle for the cases of `AppDirectory`. */
export interface AppDirectoryHandle {
  readonly apps: AppDirectory
}

export const [appId, otherApp, userId] = [uuid('app'), uuid('other app'), uuid('user')]

export const hashOf = (secret: string) => new Uint8Array(createHash('sha256').update(secret).digest())

/** Returns the time a number of seconds after the start of the tests. */
export const at = (seconds: number) => new Date(startOfTests.getTime() + seconds * 1_000)

/** Creates a key version that signs from the start and is not retired. */
export function key(version: number, change: Partial<ApiKeyRow> = {}): ApiKeyRow {
  const secret = `${change.appId ?? appId} ${version}`
  return {
    appId,
    version,
    hash: hashOf(secret),
    sealed: Uint8Array.from([version, 0, 255]),
    createdAt: at(0),
    signsFrom: at(0),
    retiredAt: null,
    ...change,
  }
}

/** Creates a key version that waits for its activation. */
export const waitingKey = (version: number, createdAt: Date, change: Partial<ApiKeyRow> = {}) =>
  key(version, { createdAt, signsFrom: at(86_400), ...change })

export function grant(change: Partial<Grant> = {}): Grant {
  const base = { appId, userId, accountId: uuid('account'), externalReferenceId: 'réf 1', scopes: ['VERIFY_KYC'] }
  return { ...base, ...change }
}

/** Creates an access token that expires 60 s after the start. */
export const token = (secret: string, change: Partial<AccessTokenRow> = {}): AccessTokenRow => ({
  hash: hashOf(secret),
  appId,
  userId,
  scopes: ['VERIFY_KYC'],
  expiresAt: at(60),
  ...change,
})

export async function createApps(apps: AppDirectory): Promise<void> {
  await apps.createApp({ appId, name: 'Example Ünited', firstKey: key(1) })
  await apps.createApp({ appId: otherApp, name: 'Other', firstKey: key(1, { appId: otherApp }) })
}
