import { assertEqual, assertRejects, assertThat } from './conformance-case.js'
import type { PiiVaultCase, PiiVaultHarness } from './pii-vault-cases.js'
import { AUDITED, DETAILS, DOCUMENT_NUMBER, OWNERS, sealedFor, SSN, tokenFor, withVault } from './vault-values.js'

const { maria, jonas } = OWNERS

function storageOf(harness: PiiVaultHarness): NonNullable<PiiVaultHarness['storage']> {
  assertThat(harness.storage !== undefined, 'this case needs the storage of the vault')
  return harness.storage
}

/** Base64 of a text at each of three alignments, without the characters that depend on adjacent bytes. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((shift) =>
    btoa(`${'.'.repeat(shift)}${text}`)
      .slice(shift === 0 ? 0 : 4)
      .replace(/.{2}=*$/, ''),
  )
}

/** Encodings of a clear value to search for in the storage. */
function spellings(value: string): string[] {
  const hex = [...value].map((character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return [value, hex, hex.toUpperCase(), [...value].reverse().join(''), ...base64Forms(value)]
}

/** Cases about the content of the vault's storage. */
export const vaultStorageCases: readonly PiiVaultCase[] = [
  {
    id: 'PV-40',
    name: 'MUST NOT store a clear value, in any spelling',
    needs: 'storage',
    async run(harness) {
      await withVault(harness, async (vault) => {
        await vault.tokenize(maria, [SSN, DOCUMENT_NUMBER, DETAILS])
      })
      const stored = new TextDecoder('latin1').decode(await storageOf(harness).readEverything())
      for (const clear of ['078051120', '078-05-1120', 'CANARYX1234567', 'Canary-Mar', '1985-04-12']) {
        for (const spelling of spellings(clear)) assertThat(!stored.includes(spelling), 'a clear value is in storage')
      }
    },
  },
  {
    id: 'PV-41',
    name: 'MUST store ciphertext for an SSN and none for a document number',
    needs: 'storage',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const storage = storageOf(harness)
        const sealed = await storage.readSealed(await tokenFor(vault, maria))
        assertThat(sealed !== null && sealed.length > 9, 'the SSN is sealed')
        assertEqual(await storage.readSealed(await tokenFor(vault, maria, DOCUMENT_NUMBER)), null, 'the number is not')
      }),
  },
  {
    id: 'PV-42',
    name: 'MUST answer SEAL_BROKEN when the ciphertext of two rows was swapped, of one owner or of two',
    needs: 'storage',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const storage = storageOf(harness)
        const first = await tokenFor(vault, maria)
        for (const owner of [maria, jonas]) {
          const second = await tokenFor(vault, owner, { kind: 'ssn', value: '219099999' })
          const [a, b] = [await storage.readSealed(first), await storage.readSealed(second)]
          assertThat(a !== null && b !== null, 'both are sealed')
          await storage.writeSealed(first, b)
          await storage.writeSealed(second, a)
          await assertRejects(vault.reveal({ owner: maria, token: first, ...AUDITED }), 'SEAL_BROKEN', 'the first row')
          await assertRejects(vault.reveal({ owner, token: second, ...AUDITED }), 'SEAL_BROKEN', 'the second row')
          await storage.writeSealed(first, a)
          await storage.writeSealed(second, b)
          assertEqual(await vault.reveal({ owner: maria, token: first, ...AUDITED }), '078051120', 'put back, it opens')
        }
      }),
  },
  {
    id: 'PV-43',
    name: 'MUST record who reveals a value or opens a part, and why, and record nothing when tokenizing',
    needs: 'storage',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const storage = storageOf(harness)
        const token = await tokenFor(vault, maria)
        const sealed = await sealedFor(vault, maria)
        await vault.inspect(maria, [token])
        assertEqual(await storage.listAudit(), [], 'tokenizing and inspecting reveal nothing')
        await vault.reveal({ owner: maria, token, actor: 'officer-7', purpose: 'case-42' })
        const { recordId, part } = DETAILS
        await vault.openRecord({ owner: maria, recordId, part, sealed, actor: 'officer-8', purpose: 'case-43' })
        const audit = (await storage.listAudit()).map(({ actor, purpose }) => ({ actor, purpose }))
        const expected = [
          { actor: 'officer-7', purpose: 'case-42' },
          { actor: 'officer-8', purpose: 'case-43' },
        ]
        assertEqual(audit, expected, 'the audit')
      }),
  },
  {
    id: 'PV-44',
    name: 'MUST reveal nothing when the audit row cannot be written: VAULT_UNAVAILABLE',
    needs: 'storage',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const storage = storageOf(harness)
        const token = await tokenFor(vault, maria)
        const sealed = await sealedFor(vault, maria)
        const { recordId, part } = DETAILS
        await storage.failAudit(true)
        await assertRejects(vault.reveal({ owner: maria, token, ...AUDITED }), 'VAULT_UNAVAILABLE', 'the SSN')
        const opened = vault.openRecord({ owner: maria, recordId, part, sealed, ...AUDITED })
        await assertRejects(opened, 'VAULT_UNAVAILABLE', 'the part')
        await storage.failAudit(false)
        assertEqual(await vault.reveal({ owner: maria, token, ...AUDITED }), '078051120', 'it works again')
      }),
  },
]
