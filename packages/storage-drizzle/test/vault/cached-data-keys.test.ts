import { expect, test } from 'vitest'
import { createDataKeyRows } from '../../src/vault/cached-data-keys.js'
import type { DataKeyRow } from '../../src/vault/vault-rows.js'

const owner = { appId: 'app', userId: 'user' }
const dataKey = { keyId: 'k1', wrapped: new Uint8Array([1]) } as unknown as DataKeyRow['dataKey']
const rowsOf = (owners: readonly { readonly appId: string; readonly userId: string }[]) =>
  owners.map((one, position) => ({ ...one, position, dataKey }))

test('keeps no key that was read while its owner was erased', async () => {
  let reads = 0
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const findDataKeys = async (owners: readonly (typeof owner)[]) => {
    const found = rowsOf(owners)
    if ((reads += 1) === 1) await held
    return found
  }
  const keys = createDataKeyRows({ findDataKeys }, () => 0)
  const reading = keys.find([owner])
  keys.forget(owner)
  release()
  await reading
  await keys.find([owner])
  expect(reads).toBe(2)
  await keys.find([owner])
  expect(reads).toBe(2)
})

test('keeps 20,000 keys, and drops the oldest beyond them', async () => {
  const asked: string[] = []
  const findDataKeys = async (owners: readonly (typeof owner)[]) => {
    asked.push(...owners.map(({ userId }) => userId))
    return rowsOf(owners)
  }
  const keys = createDataKeyRows({ findDataKeys }, () => 0)
  const users = Array.from({ length: 20_001 }, (_, index) => ({ ...owner, userId: String(index) }))
  await keys.find(users)
  asked.length = 0
  await keys.find(users.slice(1))
  expect(asked).toEqual([])
  await keys.find(users.slice(0, 1))
  expect(asked).toEqual(['0'])
})
