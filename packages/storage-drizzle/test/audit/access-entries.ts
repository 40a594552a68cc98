import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { AuditLog } from '@kyc-relay/kyc-core'
import type { AppDirectory } from '../../src/app-directory.js'
import { appId, at, createApps, grant, hashOf, token, userId } from '../../src/testing/app-directory/sample-apps.js'
import { auditSeal, verify } from './audit-samples.js'

/** The entries that concern this app or user, oldest first, without the one that began the chain. */
export async function entriesOf(log: AuditLog, about: string) {
  const entries = await log.listEntries({ chain: auditSeal.chainOf(about, log.chains), after: 1, limit: 100 })
  return entries.filter((entry) => entry.userId === about || entry.appId === about)
}

/** Gives, changes, narrows and revokes a grant, and expects one entry for each change and none for what changed nothing. */
export async function expectGrantEntries(apps: AppDirectory, log: AuditLog): Promise<void> {
  await createApps(apps)
  await apps.putGrant(grant({ scopes: ['VERIFY_KYC'] }))
  await apps.putGrant(grant({ scopes: ['VERIFY_KYC'] }))
  await apps.putGrant(grant({ scopes: ['VERIFY_KYC', 'LIST_PAYMENT'] }))
  await apps.addAccessToken(token('secret'))
  await expect(apps.addAccessToken(token('secret'))).rejects.toMatchObject({ code: 'CONSTRAINT' })
  await apps.putGrant(grant({ scopes: ['LIST_PAYMENT'] }))
  await apps.putGrant(grant({ scopes: ['LIST_PAYMENT'], externalReferenceId: 'another' }))
  await apps.revokeGrant({ appId, userId })
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
