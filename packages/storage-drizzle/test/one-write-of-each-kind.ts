import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { PostgresStorage } from '../src/postgres/index.js'
import { claimRequest, endpoint, event, report, submission, transactionMove, uuid } from './samples.js'

/** The stores that both engines have. */
type Stores = Omit<PostgresStorage, 'webhooks' | 'database' | 'insertEvent' | 'close'> & {
  readonly webhooks: WebhookStore
}

export const hook = endpoint('a')
export const other = endpoint('b')

/** One write of every kind, each from the same starting rows. */
export const writes: readonly { readonly name: string; run(storage: Stores): Promise<unknown> }[] = [
  {
    name: 'record',
    run: ({ verifications }) => verifications.record(submission('new', { key: { userId: uuid('u2') } })),
  },
  { name: 'registerEndpoint', run: ({ webhooks }) => webhooks.registerEndpoint(endpoint('c'), 50) },
  {
    name: 'removeEndpoint',
    run: ({ webhooks }) => webhooks.removeEndpoint({ appId: hook.appId, endpointId: hook.endpointId }),
  },
  { name: 'insertEvent', run: ({ webhooks }) => webhooks.insertEvent(event('new', [hook, other])) },
  { name: 'claimDue', run: ({ webhooks }) => webhooks.claimDue(claimRequest) },
  { name: 'claimExpired', run: ({ webhooks }) => webhooks.claimExpired({ limit: 10, leaseMs: 45_000 }) },
  {
    name: 'attempt results',
    run: ({ webhooks }) =>
      webhooks.recordAttemptResults(
        ['leased-0', 'leased-1'].map((token) => ({
          fence: {
            appId: hook.appId,
            deliveryId: uuid(`delivery ${token === 'leased-0' ? 'one' : 'two'} ${hook.endpointId}`),
            attempt: 1,
            token,
          },
          attempt: { state: 'FAILED', report },
          next: { state: 'PENDING', delayMs: 30_000 },
        })),
      ),
  },
  {
    name: 'cancelPending',
    run: ({ webhooks }) => webhooks.cancelPending({ appId: hook.appId, userId: uuid('user'), reason: 'GRANT_REVOKED' }),
  },
  {
    name: 'revokeGrant',
    run: ({ apps }) => apps.revokeGrant({ appId: hook.appId, userId: uuid('user') }),
  },
  { name: 'moveTransaction', run: ({ transactions }) => transactions.moveTransaction(transactionMove('new', [hook])) },
  { name: 'claim of photos', run: ({ photoJobs }) => photoJobs.claimDue({ limit: 5, leaseMs: 60_000 }) },
  {
    name: 'result of a photo',
    run: ({ photoJobs }) =>
      photoJobs.recordOutcome(
        { userId: uuid('user'), photoJobId: uuid('photo leased'), token: 'the photo' },
        { state: 'STORED' },
      ),
  },
  {
    name: 'recordSignIn',
    run: ({ apps }) =>
      apps
        .recordSignIn({ hash: Buffer.alloc(32, 3), app: { appId: hook.appId, keyVersion: 1 } })
        .then(() => 'recorded'),
  },
  { name: 'removeOld', run: ({ retention }) => retention.removeOld({ expiredTokenAgeMs: 0 }) },
  { name: 'eraseUser', run: ({ users }) => users.eraseUser({ appId: hook.appId, userId: uuid('user') }) },
]

/** The rows that every write begins with, and what makes fence tokens and time of them. */
export function createStartingRows() {
  let tokens = 0
  let claimsPhoto = false
  let now = Date.parse('2026-01-02T03:04:05.678Z')
  const options = { clock: () => new Date(now), newToken: () => (claimsPhoto ? 'the photo' : `leased-${tokens++}`) }
  async function write(storage: Stores): Promise<void> {
    const created = new Date(now)
    const key = {
      version: 1,
      hash: Buffer.alloc(32, 1),
      sealed: Buffer.from('s'),
      createdAt: created,
      signsFrom: created,
    }
    await storage.apps.createApp({
      appId: hook.appId,
      name: 'Example',
      firstKey: { appId: hook.appId, ...key, retiredAt: null },
    })
    const grant = { appId: hook.appId, userId: uuid('user'), accountId: uuid('account'), externalReferenceId: 'ref' }
    await storage.apps.putGrant({ ...grant, scopes: ['VERIFY_KYC'] })
    await storage.apps.addAccessToken({
      hash: Buffer.alloc(32, 2),
      appId: hook.appId,
      userId: uuid('user'),
      scopes: ['VERIFY_KYC'],
      expiresAt: new Date(now + 30_000),
    })
    await storage.webhooks.registerEndpoint(hook, 50)
    await storage.webhooks.registerEndpoint(other, 50)
    await storage.webhooks.insertEvent(event('one', [hook]))
    await storage.webhooks.insertEvent(event('two', [hook]))
    await storage.webhooks.claimDue({ ...claimRequest, limit: 2, keepForHealthy: 0 })
    await storage.webhooks.insertEvent(event('three', [hook, other]))
    await storage.verifications.record(submission('leased'))
    claimsPhoto = true
    await storage.photoJobs.claimDue({ limit: 1, leaseMs: 3_600_000 })
    claimsPhoto = false
    await storage.verifications.record(submission('old'))
    now += 60_000
  }
  return { options, write }
}
