import { randomUUID } from 'node:crypto'
import { createIngestion, type PiiTokenizer } from '@kyc-relay/kyc-core'
import { verifyAuditLog, type AuditLog } from '@kyc-relay/kyc-core/audit'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import type { DeduplicationStore } from '@kyc-relay/webhooks'
import { expect } from 'vitest'
import type { PostgresStorage } from '../../src/postgres/index.js'
import type { SqliteStorage } from '../../src/sqlite/index.js'
import { auditKeyFile, auditSeal } from '../audit/audit-samples.js'
import { claimRequest, endpoint, event, report, startOfTests, uuid } from '../samples.js'

type Both = 'verifications' | 'apps' | 'audit' | 'webhooks'

/** The stores of one database that the fixtures hold. */
export interface FirstStores {
  readonly storage: Pick<PostgresStorage, Both> | Pick<SqliteStorage, Both>
  readonly vault: PiiTokenizer & { readonly audit?: AuditLog | null }
  readonly deduplication: DeduplicationStore
}

/** Opens what the fixtures sealed. */
export const firstCipher = () => createLocalCipher({ keys: parseKeyFile(auditKeyFile) })

/** Clock of the stores while the fixture is written. */
export const writtenAtMs = startOfTests.getTime()

const user = { appId: uuid('app'), userId: uuid('user') }
const hook = endpoint('a')
const newerInput = { externalVerificationId: 'attempt-0002' }

function ingestion({ storage, vault }: FirstStores) {
  const { verifications } = storage
  const now = () => new Date('2026-03-01T00:00:00Z')
  return createIngestion({ verifications, tokenizer: vault, now, newId: randomUUID })
}

/** What a service had written with the first history: it stopped with one delivery in flight and one that waits for a retry. */
export async function writeFirstHistory(stores: FirstStores): Promise<void> {
  const { storage, deduplication } = stores
  const { webhooks, apps } = storage
  const key = { version: 1, hash: Buffer.alloc(32, 1), sealed: Buffer.from('sealed'), createdAt: startOfTests }
  await apps.createApp({
    appId: user.appId,
    name: 'Example',
    firstKey: { appId: user.appId, ...key, signsFrom: startOfTests, retiredAt: null },
  })
  await apps.putGrant({ ...user, accountId: uuid('account'), externalReferenceId: 'ref', scopes: ['VERIFY_KYC'] })
  expect(await ingestion(stores).ingestSubmission(user, sampleSubmission())).toMatchObject({ kind: 'recorded' })

  await webhooks.registerEndpoint(hook, 50)
  for (const name of ['delivered', 'retried']) {
    await webhooks.insertEvent(event(name, [hook], { sourceEventId: `source ${name}` }))
    const [claimed] = (await webhooks.claimDue(claimRequest)).claimed
    const { fence } = claimed!
    const isDelivered = name === 'delivered'
    await webhooks.recordAttemptResults([
      {
        fence,
        attempt: { state: isDelivered ? 'SUCCEEDED' : 'FAILED', report },
        next: isDelivered ? { state: 'DELIVERED' } : { state: 'PENDING', delayMs: 600_000 },
      },
    ])
  }
  await webhooks.insertEvent(event('in flight', [hook]))
  expect((await webhooks.claimDue(claimRequest)).claimed).toHaveLength(1)

  for (const name of ['acted', 'under way']) {
    const claim = await deduplication.claim({ eventId: uuid(name), leaseMs: 60_000 })
    if (claim.kind !== 'claimed') throw new Error(claim.kind)
    if (name === 'acted') await deduplication.complete({ eventId: uuid(name), fence: claim.fence })
  }
}

/** What this version must find in it, an hour later, and go on with. */
export async function continueFirstHistory(stores: FirstStores): Promise<void> {
  const { storage, vault, deduplication } = stores
  const { webhooks, apps } = storage
  const { ingestSubmission } = ingestion(stores)

  // The digest of then recognises the submission, and the original result is answered.
  expect(await storage.verifications.findKycStatus(user.userId)).toBe('PASS')
  const replay = await ingestSubmission(user, sampleSubmission())
  expect(replay).toMatchObject({ kind: 'replayed', payloadMatches: true, result: { status: 'VERIFIED' } })
  const changed = await ingestSubmission(user, sampleSubmission({ decisionedAt: '2026-02-01T00:00:00Z' }))
  expect(changed).toMatchObject({ kind: 'replayed', payloadMatches: false, result: { status: 'VERIFIED' } })
  const newer = await ingestSubmission(user, sampleSubmission(newerInput))
  expect(newer).toMatchObject({ kind: 'recorded', result: { status: 'ALREADY_VERIFIED' } })
  expect((await apps.findGrants([user]))[0]).toMatchObject({ scopes: ['VERIFY_KYC'] })

  // An event of then is not published twice.
  const repeated = event('again', [hook], { sourceEventId: 'source retried' })
  expect(await webhooks.insertEvent(repeated)).toMatchObject({ eventId: uuid('event retried'), duplicate: true })

  // The attempt in flight was lost with its process: its lease has ended, and its result is refused. The delivery goes on.
  const expired = await webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })
  expect(expired.map(({ eventId }) => eventId)).toEqual([uuid('event in flight')])
  await webhooks.recordAttemptResults(
    expired.map(({ fence }) => ({
      fence,
      attempt: { state: 'INTERRUPTED', report },
      next: { state: 'PENDING', delayMs: 0 },
    })),
  )
  const texts: unknown[] = []
  // One at a time: the endpoint counts as failing.
  for (const _attempt of ['in flight', 'retried']) {
    const { claimed } = await webhooks.claimDue(claimRequest)
    for (const { eventId, xEventId, fence, body } of claimed) {
      texts.push([eventId, xEventId, fence.attempt, new TextDecoder().decode(body)])
      const result = { attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } } as const
      await webhooks.recordAttemptResults([{ fence, ...result }])
    }
  }
  const expected = ['in flight', 'retried'].map((name) => [
    uuid(`event ${name}`),
    uuid(`x-event ${name} ${hook.endpointId}`),
    2,
    `{"name":"${name}"}`,
  ])
  expect(texts.sort()).toEqual(expected.sort())
  const { items } = await webhooks.listDeliveries({ appId: user.appId, limit: 10 })
  expect(items.map(({ state }) => state)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED'])

  expect(await deduplication.claim({ eventId: uuid('acted'), leaseMs: 1 })).toEqual({ kind: 'completed' })
  expect(await deduplication.claim({ eventId: uuid('under way'), leaseMs: 1 })).toEqual({ kind: 'claimed', fence: 2 })

  for (const log of [storage.audit, vault.audit]) {
    if (!log) throw new Error('no audit log')
    const findings: unknown[] = []
    const report = await verifyAuditLog({
      log,
      seal: auditSeal,
      checkpoints: [],
      pageSize: 100,
      onFinding: (finding) => findings.push(finding),
    })
    expect(findings).toEqual([])
    expect(report.entries).toBeGreaterThan(0)
  }
}
