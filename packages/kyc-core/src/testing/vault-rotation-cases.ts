import { assertEqual, assertThat } from './conformance-case.js'
import type { PiiVaultCase, PiiVaultHarness, VaultUnderTest } from './pii-vault-cases.js'
import { AUDITED, DETAILS, OWNERS, sealedFor, tokenFor, withVault } from './vault-values.js'
import { uuid } from './verification-submissions.js'

const { maria } = OWNERS
const { recordId, part } = DETAILS

function rotationOf(harness: PiiVaultHarness): NonNullable<PiiVaultHarness['rotation']> {
  assertThat(harness.rotation !== undefined, 'this case needs a vault that rotates keys')
  return harness.rotation
}

function rewrap(vault: VaultUnderTest, limit: number): Promise<{ rewrapped: number; remaining: number }> {
  assertThat(vault.rewrapDataKeys !== undefined, 'the vault rotates keys')
  return vault.rewrapDataKeys({ limit })
}

/** Cases about re-wrapping data keys. */
export const vaultRotationCases: readonly PiiVaultCase[] = [
  {
    id: 'PV-50',
    name: 'MUST re-wrap data keys in batches, continue after a stop, and open every value meanwhile',
    needs: 'rotation',
    async run(harness) {
      const rotation = rotationOf(harness)
      const owners = Array.from({ length: 5 }, (_, index) => ({ appId: maria.appId, userId: uuid(300 + index) }))
      const values = await withVault(harness, (vault) =>
        Promise.all(
          owners.map(async (owner) => ({
            owner,
            token: await tokenFor(vault, owner),
            sealed: await sealedFor(vault, owner),
          })),
        ),
      )
      async function expectAllOpen(vault: VaultUnderTest): Promise<void> {
        for (const { owner, token, sealed } of values) {
          assertEqual(await vault.reveal({ owner, token, ...AUDITED }), '078051120', 'the SSN')
          assertEqual(await vault.openRecord({ owner, recordId, part, sealed, ...AUDITED }), DETAILS.value, 'the part')
        }
      }
      await rotation.addKey()
      await withVault(harness, async (vault) => {
        await expectAllOpen(vault)
        assertEqual(await rewrap(vault, 2), { rewrapped: 2, remaining: 3 }, 'the first batch')
        await expectAllOpen(vault)
      })
      // Another handle continues where the first one stopped.
      await withVault(harness, async (vault) => {
        assertEqual(await rewrap(vault, 2), { rewrapped: 2, remaining: 1 }, 'the second batch')
        assertEqual(await rewrap(vault, 1000), { rewrapped: 1, remaining: 0 }, 'the rest')
        assertEqual(await rewrap(vault, 1000), { rewrapped: 0, remaining: 0 }, 'nothing is left to do')
        await expectAllOpen(vault)
      })
      await rotation.dropFormerKeys()
      await withVault(harness, expectAllOpen)
    },
  },
  {
    id: 'PV-51',
    name: 'MUST keep fingerprints and tokens when the wrapping key changes',
    needs: 'rotation',
    async run(harness) {
      const rotation = rotationOf(harness)
      const before = await withVault(harness, (vault) => vault.fingerprint('payload', 'x'))
      const token = await withVault(harness, (vault) => tokenFor(vault, maria))
      await rotation.addKey()
      await withVault(harness, async (vault) => {
        await rewrap(vault, 10)
        assertEqual(await vault.fingerprint('payload', 'x'), before, 'the fingerprint')
        assertEqual((await vault.inspect(maria, [token]))[0]?.token, token, 'the token')
      })
    },
  },
]
