import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { createApiKeys } from '../../src/identity/api-keys.js'

const hourMs = 60 * 60 * 1000
const start = new Date('2026-01-01T00:00:00Z')

/** An app with its first key, and a clock. */
async function openKeys() {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-api-keys-'))
  const storage = await createSqliteStorage({ path: join(dataDir, 'kyc.db') })
  onTestFinished(async () => {
    await storage.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  let hours = 0
  const now = () => new Date(start.getTime() + hours * hourMs)
  const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: start })) })
  const apiKeys = createApiKeys({ directory: storage.apps, cipher, now })
  const appId = randomUUID()
  const { apiKey: first } = await apiKeys.createApp({ appId, name: 'Example Wallet' })
  return { apiKeys, appId, first, setHours: (given: number) => (hours = given) }
}

type Keys = Awaited<ReturnType<typeof openKeys>>

const versions = async ({ apiKeys, appId }: Keys) =>
  (await apiKeys.listVersions(appId)).map(({ version, state, retiredAt }) => [
    version,
    state,
    retiredAt && (retiredAt.getTime() - start.getTime()) / hourMs,
  ])

it('reads for a day after the next key began to sign by itself, and no longer', async () => {
  const keys = await openKeys()
  const { apiKeys, appId, first, setHours } = keys
  await apiKeys.rotate(appId)
  setHours(47)
  expect(await versions(keys)).toEqual([
    [2, 'SIGNING', null],
    [1, 'RETIRING', 48],
  ])
  expect(await apiKeys.findApp(first)).toEqual({ appId, version: 1, state: 'RETIRING' })
  setHours(48)
  expect(await versions(keys)).toEqual([[2, 'SIGNING', null]])
  expect(await apiKeys.findApp(first)).toBeNull()
  expect(await apiKeys.findState({ appId, version: 1 })).toBeNull()
})

it('does not read again after a third key was activated', async () => {
  const keys = await openKeys()
  const { apiKeys, appId, first, setHours } = keys
  await apiKeys.rotate(appId)
  setHours(60)
  await apiKeys.rotate(appId)
  await apiKeys.activate(appId)
  expect(await versions(keys)).toEqual([
    [3, 'SIGNING', null],
    [2, 'RETIRING', 84],
  ])
  expect(await apiKeys.findApp(first)).toBeNull()
})
