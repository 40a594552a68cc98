import { expect } from 'vitest'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { ApiKeyRow, AppDirectory } from '../../src/apps/app-directory.js'
import { uuid } from '../samples.js'
import { auditSeal, verify } from './audit-samples.js'

const appId = uuid('an app that rotates')
const at = (hours: number) => new Date(Date.UTC(2026, 0, 2, hours))

function keyOf(version: number, createdAt: Date): ApiKeyRow {
  const bytes = Buffer.alloc(32, version)
  return { appId, version, hash: bytes, sealed: bytes, createdAt, signsFrom: at(version * 24), retiredAt: null }
}

const ada = { name: 'operator:Ada', reason: 'complaint 12' }

/** Makes an app, rotates its key, and expects one entry for each change and none for what changed nothing. */
export async function expectKeyRotationEntries(apps: AppDirectory, log: AuditLog, chains: number): Promise<void> {
  await apps.createApp({ appId, name: 'Example', firstKey: { ...keyOf(1, at(0)), signsFrom: at(0) }, actor: ada })
  expect(await apps.addApiKey(keyOf(2, at(1)))).toBe('added')
  expect(await apps.addApiKey(keyOf(3, at(2)))).toBe('rotation_pending')
  expect(await apps.activateApiKey({ appId, now: at(3), retireOldAt: at(27) })).toBe(true)
  expect(await apps.activateApiKey({ appId, now: at(4), retireOldAt: at(28) })).toBe(false)
  const sealed = { appId, version: 2, former: Buffer.alloc(32, 2), fresh: Buffer.alloc(32, 8), now: at(5) }
  expect(await apps.replaceSealedApiKey(sealed)).toBe(true)
  expect(await apps.replaceSealedApiKey(sealed)).toBe(false)
  await expect(
    apps.createApp({ appId, name: 'Again', firstKey: { ...keyOf(1, at(5)), hash: Buffer.alloc(32, 9) } }),
  ).rejects.toMatchObject({ code: 'CONSTRAINT' })

  expect(await apps.addApiKey(keyOf(3, at(6)))).toBe('added')
  expect(await apps.discardApiKey({ appId, now: at(7) })).toBe(true)
  expect(await apps.discardApiKey({ appId, now: at(7) })).toBe(false)
  const issued = { key: keyOf(4, at(8)), reason: 'lost', actor: ada }
  expect(await apps.issueApiKey(issued)).toEqual({ signsFrom: at(96) })
  expect(await apps.issueApiKey(issued)).toBe('version_taken')
  expect(await apps.revokeApiKey({ appId, version: 2, now: at(9), reason: 'leaked', actor: ada })).toBe(true)
  expect(await apps.revokeApiKey({ appId, version: 2, now: at(9), reason: 'leaked' })).toBe(false)
  const entries = await log.listEntries({ chain: auditSeal.chainOf(appId, chains), after: 1, limit: 20 })
  expect(entries.map(({ kind, subject, atMs }) => [kind, subject, atMs])).toEqual([
    ['APP_CREATED', appId, at(0).getTime()],
    ['API_KEY_ADDED', '1', at(0).getTime()],
    ['API_KEY_ADDED', '2', at(1).getTime()],
    ['API_KEY_ACTIVATED', '2', at(3).getTime()],
    ['API_KEY_RETIRED', '1', at(3).getTime()],
    ['API_KEY_REWRAPPED', '2', at(5).getTime()],
    ['API_KEY_ADDED', '3', at(6).getTime()],
    ['API_KEY_DISCARDED', '3', at(7).getTime()],
    ['API_KEY_ISSUED', '4', at(8).getTime()],
    ['API_KEY_REVOKED', '2', at(9).getTime()],
    ['API_KEY_RETIRED', '1', at(9).getTime()],
    ['API_KEY_ACTIVATED', '4', at(9).getTime()],
  ])
  const acted = entries.filter(({ actor }) => actor !== null)
  expect(acted.map(({ kind, actor, reason }) => [kind, actor, reason])).toEqual([
    ['APP_CREATED', ada.name, ada.reason],
    ['API_KEY_ADDED', ada.name, ada.reason],
    ['API_KEY_ISSUED', ada.name, ada.reason],
    ['API_KEY_REVOKED', ada.name, ada.reason],
    ['API_KEY_RETIRED', ada.name, ada.reason],
    ['API_KEY_ACTIVATED', ada.name, ada.reason],
  ])
  expect(entries.every((entry) => entry.appId === appId && entry.userId === null)).toBe(true)
  expect((await verify(log)).findings).toEqual([])
}
