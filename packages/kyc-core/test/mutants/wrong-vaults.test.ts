import { describe, expect, it } from 'vitest'
import { piiVaultCases } from '@kyc-relay/kyc-core/testing'
import { createMemoryVaultHarness } from '../testing/memory-vault-harness.js'
import { vaultsWrongAboutErasures } from './vaults/erasures.js'
import { vaultsWrongAboutCounts } from './vaults/quarantine-counts.js'
import { vaultsWrongAboutQuarantine } from './vaults/quarantine-times.js'
import { vaultsWrongAboutSealing } from './vaults/sealing.js'
import { vaultsWrongAboutStorage } from './vaults/storage-and-keys.js'
import { vaultsWrongAboutTokens } from './vaults/tokens.js'
import { plainly, type Wrong } from './vaults/wrong-vault.js'

/*
 * Vaults that are wrong on purpose, each in one way. The cases must catch every one of them, or a wrong vault of somebody
 * else would pass as well.
 */

const wrongVaults = [
  ...vaultsWrongAboutTokens,
  ...vaultsWrongAboutSealing,
  ...vaultsWrongAboutErasures,
  ...vaultsWrongAboutStorage,
  ...vaultsWrongAboutQuarantine,
  ...vaultsWrongAboutCounts,
]

async function failingCases(make: () => Wrong, ids?: readonly string[]): Promise<string[]> {
  const failing: string[] = []
  for (const each of piiVaultCases) {
    if (ids && !ids.includes(each.id)) continue
    const passes = await each.run(createMemoryVaultHarness(make())).then(
      () => true,
      () => false,
    )
    if (!passes) failing.push(each.id)
  }
  return failing
}

describe('a vault that', () => {
  it.each(wrongVaults)('%s is caught by %s', async (_what, caughtBy, make) => {
    expect(await failingCases(make, [caughtBy])).toEqual([caughtBy])
  })

  it.each(piiVaultCases)('$id alone catches: there is one', async ({ id }) => {
    for (const [, caughtBy, make] of wrongVaults) {
      if (caughtBy === id && (await failingCases(make)).join(' ') === id) return
    }
    expect.fail('Each mistake that this case catches is caught by another case too.')
  })

  it('is right is not caught', async () => {
    expect(await failingCases(plainly((vault) => vault))).toEqual([])
  })

  it.each(piiVaultCases.filter(({ needs }) => needs !== undefined))(
    '$id is not passed unchecked by a harness without $needs',
    async (each) => {
      const { open, advance } = createMemoryVaultHarness()
      await expect(each.run({ open, advance })).rejects.toThrow(/needs/)
    },
  )
})

describe('storage that is wrong', () => {
  type Storage = NonNullable<ReturnType<typeof createMemoryVaultHarness>['storage']>
  const withStorage = (change: (storage: Storage) => Partial<Storage>) => {
    const harness = createMemoryVaultHarness()
    const storage = harness.storage as Storage
    return { ...harness, storage: { ...storage, ...change(storage) } }
  }
  const run = (id: string, harness: ReturnType<typeof createMemoryVaultHarness>) =>
    piiVaultCases.find((each) => each.id === id)?.run(harness)
  const text = new TextEncoder()

  it.each([
    '078051120',
    '078-05-1120',
    'CANARYX1234567',
    btoa('x078051120y'),
    btoa('xy078051120'),
    '303738303531313230',
  ])('holding %s is caught by PV-40', async (leak) => {
    await expect(
      run(
        'PV-40',
        withStorage(() => ({ readEverything: async () => text.encode(leak) })),
      ),
    ).rejects.toThrow()
  })

  it('with ciphertext for a document number is caught by PV-41', async () => {
    await expect(
      run(
        'PV-41',
        withStorage(() => ({ readSealed: async () => new Uint8Array(40) })),
      ),
    ).rejects.toThrow()
  })

  it('without ciphertext for an SSN is caught by PV-41', async () => {
    await expect(
      run(
        'PV-41',
        withStorage(() => ({ readSealed: async () => null })),
      ),
    ).rejects.toThrow()
  })

  it('whose rows are not bound to their ciphertext is caught by PV-42', async () => {
    // Writing back nothing is what a vault would look like to which a swap makes no difference.
    await expect(
      run(
        'PV-42',
        withStorage(() => ({ writeSealed: async () => {} })),
      ),
    ).rejects.toThrow()
  })
})
