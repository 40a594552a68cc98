import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../../src/apps/app-directory.js'
import { appId, at, createApps, grant, hashOf, token, userId } from '../../src/testing/app-directory/sample-apps.js'
import { auditSeal, verify } from './audit-samples.js'

/** The entries that concern this app or user, oldest first, without the one that began the chain. */
export async function entriesOf(log: AuditLog, about: string) {
  const entries = await log.listEntries({ chain: auditSeal.chainOf(about, log.chains), after: 1, limit: 100 })
  return entries.filter((entry) => entry.userId === about || entry.appId === about)
}

const ada = { name: 'operator:Ada', reason: 'complaint 12' }

/** Gives, changes, narrows and revokes a grant, and expects one entry for each change and none for what changed nothing. */
export async function expectGrantEntries(apps: AppDirectory, log: AuditLog): Promise<void> {
  await createApps(apps)
  await apps.putGrant(grant({ scopes: ['VERIFY_KYC'] }), ada)
  await apps.putGrant(grant({ scopes: ['VERIFY_KYC'] }))
  await apps.putGrant(grant({ scopes: ['VERIFY_KYC', 'LIST_PAYMENT'] }))
  await apps.addAccessToken(token('secret'), ada)
  await expect(apps.addAccessToken(token('secret'))).rejects.toMatchObject({ code: 'CONSTRAINT' })
  await apps.putGrant(grant({ scopes: ['LIST_PAYMENT'] }))
  await apps.putGrant(grant({ scopes: ['LIST_PAYMENT'], externalReferenceId: 'another' }))
  await apps.revokeGrant({ appId, userId, actor: ada })
  await apps.revokeGrant({ appId, userId })

  const entries = (await entriesOf(log, userId)).filter(({ kind }) => !kind.startsWith('API_KEY'))
  expect(entries.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['GRANT_GIVEN', 'VERIFY_KYC'],
    ['GRANT_GIVEN', 'VERIFY_KYC LIST_PAYMENT'],
    ['ACCESS_TOKEN_ISSUED', createHash('sha256').update('secret').digest('hex')],
    ['GRANT_NARROWED', 'LIST_PAYMENT'],
    ['GRANT_GIVEN', 'LIST_PAYMENT'],
    ['GRANT_REVOKED', 'LIST_PAYMENT'],
  ])
  expect(entries.map(({ actor }) => actor)).toEqual([ada.name, null, ada.name, null, null, ada.name])
  expect(entries.every((entry) => entry.appId === appId && entry.userId === userId)).toBe(true)
  expect((await verify(log)).findings).toEqual([])
}

/** Expects that no grant and no token is written where its entry cannot be. */
export async function expectNoGrantWithoutEntry(apps: AppDirectory, breakLog: () => Promise<void>): Promise<void> {
  await createApps(apps)
  await apps.putGrant(grant())
  await breakLog()
  const incomplete = { code: 'AUDIT_INCOMPLETE' }
  await expect(apps.putGrant(grant({ scopes: [] }))).rejects.toMatchObject(incomplete)
  await expect(apps.addAccessToken(token('secret'))).rejects.toMatchObject(incomplete)
  await expect(apps.revokeGrant({ appId, userId })).rejects.toMatchObject(incomplete)
  expect(await apps.findGrants([{ appId, userId }])).toEqual([grant()])
  expect(await apps.findAccessToken(hashOf('secret'), at(0))).toBeNull()
}

const endpoint = {
  endpointId: '0198c0de-0000-7000-8000-00000000e001',
  appId,
  url: 'https://partner.com/hooks',
  eventTypes: null,
  standardWebhooks: false,
  createdAt: at(0),
}

/** Registers and removes an endpoint and signs in, and expects one entry for each and none for what changed nothing. */
export async function expectEndpointAndSignInEntries(
  { webhooks, apps }: { readonly webhooks: WebhookStore; readonly apps: AppDirectory },
  log: AuditLog,
): Promise<void> {
  const { endpointId } = endpoint
  expect(await webhooks.registerEndpoint(endpoint, 1)).toBe('registered')
  const second = { ...endpoint, endpointId: '0198c0de-0000-7000-8000-00000000e002' }
  expect(await webhooks.registerEndpoint(second, 1)).toBe('limit_reached')
  const pause = { appId, endpointId, by: 'PARTNER' } as const
  for (const outcome of ['paused', 'paused'] as const)
    expect(await webhooks.pauseEndpoint({ ...pause, actor: ada })).toBe(outcome)
  for (const outcome of ['resumed', 'resumed'] as const)
    expect(await webhooks.resumeEndpoint({ ...pause, actor: ada })).toBe(outcome)
  expect(await webhooks.removeEndpoint({ appId: 'another', endpointId })).toBe(false)
  expect(await webhooks.removeEndpoint({ appId, endpointId })).toBe(true)
  expect(await webhooks.removeEndpoint({ appId, endpointId })).toBe(false)
  await apps.recordSignIn({ hash: hashOf('one'), app: { appId, keyVersion: 7 } })
  await apps.recordSignIn({ hash: hashOf('two'), app: null, actor: ada })

  const entries = await entriesOf(log, appId)
  expect(entries.map(({ actor, reason }) => [actor, reason])).toEqual([
    [null, null],
    [ada.name, ada.reason],
    [ada.name, ada.reason],
    [null, null],
    [null, null],
  ])
  expect(entries.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['ENDPOINT_REGISTERED', endpointId],
    ['ENDPOINT_PAUSED', endpointId],
    ['ENDPOINT_RESUMED', endpointId],
    ['ENDPOINT_REMOVED', endpointId],
    ['SIGNED_IN', '7'],
  ])
  const operators = await log.listEntries({ chain: auditSeal.chainOf('operator', log.chains), after: 1, limit: 100 })
  const signedIn = operators.filter(({ kind, appId: app }) => kind === 'SIGNED_IN' && app === null)
  expect(signedIn.map(({ subject, actor }) => [subject, actor])).toEqual([['operator', ada.name]])
  expect((await verify(log)).findings).toEqual([])
}

/** Expects that no endpoint is registered or removed, and nobody is signed in, where the entry cannot be written. */
export async function expectNoEndpointOrSignInWithoutEntry(
  stores: { readonly webhooks: WebhookStore; readonly apps: AppDirectory },
  breakLog: () => Promise<void>,
): Promise<void> {
  const { webhooks, apps } = stores
  await webhooks.registerEndpoint(endpoint, 5)
  await breakLog()
  const incomplete = { code: 'AUDIT_INCOMPLETE' }
  const second = { ...endpoint, endpointId: '0198c0de-0000-7000-8000-00000000e002' }
  await expect(webhooks.registerEndpoint(second, 5)).rejects.toMatchObject(incomplete)
  await expect(webhooks.removeEndpoint(endpoint)).rejects.toMatchObject(incomplete)
  await expect(webhooks.pauseEndpoint({ ...endpoint, by: 'PARTNER' })).rejects.toMatchObject(incomplete)
  expect(await webhooks.listEndpoints(appId)).toMatchObject([endpoint])
  await expect(apps.recordSignIn({ hash: hashOf('one'), app: null })).rejects.toMatchObject(incomplete)
}
