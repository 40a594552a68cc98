import { assertEqual, assertRejects } from './conformance-case.js'
import type { PiiVaultCase } from './pii-vault-cases.js'
import { AUDITED, DETAILS, DOCUMENT_NUMBER, OWNERS, sealedFor, tokenFor, withVault } from './vault-values.js'

const { maria, jonas, mariaElsewhere } = OWNERS
const { recordId, part } = DETAILS

/** Cases about erasing owners. */
export const vaultErasureCases: readonly PiiVaultCase[] = [
  {
    id: 'PV-30',
    name: 'MUST erase an owner permanently: in every handle, tokens are unknown and sealed parts do not open',
    async run(harness) {
      const [first, second] = [await harness.open(), await harness.open()]
      const ssn = await tokenFor(first.vault, maria)
      const number = await tokenFor(first.vault, maria, DOCUMENT_NUMBER)
      const sealed = await sealedFor(first.vault, maria)
      // The second handle has opened the value, so it may hold the data key in memory.
      await second.vault.openRecord({ owner: maria, recordId, part, sealed, ...AUDITED })
      assertEqual(await first.vault.eraseOwner(maria), 2, 'two tokens went')
      for (const { vault } of [first, second]) {
        assertEqual(await vault.inspect(maria, [ssn, number]), [null, null], 'the tokens are unknown')
        await assertRejects(vault.reveal({ owner: maria, token: ssn, ...AUDITED }), 'TOKEN_UNKNOWN', 'the SSN')
        await assertRejects(vault.reveal({ owner: maria, token: number, ...AUDITED }), 'TOKEN_UNKNOWN', 'the number')
        const opened = vault.openRecord({ owner: maria, recordId, part, sealed, ...AUDITED })
        await assertRejects(opened, 'SEAL_BROKEN', 'the sealed part')
      }
      assertEqual(await second.vault.eraseOwner(maria), 0, 'repeating is harmless')
      await first.close()
      await second.close()
    },
  },
  {
    id: 'PV-31',
    name: 'MUST NOT change other owners when one is erased, including the same user of another app',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const others = [jonas, mariaElsewhere]
        await tokenFor(vault, maria)
        const tokens = [await tokenFor(vault, jonas), await tokenFor(vault, mariaElsewhere)]
        const sealed = [await sealedFor(vault, jonas), await sealedFor(vault, mariaElsewhere)]
        await vault.eraseOwner(maria)
        for (const [index, owner] of others.entries()) {
          const token = tokens[index] as (typeof tokens)[0]
          assertEqual(await vault.reveal({ owner, token, ...AUDITED }), '078051120', 'the SSN')
          const bytes = sealed[index] as Uint8Array
          assertEqual(
            await vault.openRecord({ owner, recordId, part, sealed: bytes, ...AUDITED }),
            DETAILS.value,
            'text',
          )
        }
      }),
  },
  {
    id: 'PV-32',
    name: 'MUST open new values of an erased owner, and never old ones',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const old = await sealedFor(vault, maria)
        await vault.eraseOwner(maria)
        const token = await tokenFor(vault, maria)
        assertEqual(await vault.reveal({ owner: maria, token, ...AUDITED }), '078051120', 'the new token')
        const opened = vault.openRecord({ owner: maria, recordId, part, sealed: old, ...AUDITED })
        await assertRejects(opened, 'SEAL_BROKEN', 'what was sealed before')
      }),
  },
  {
    id: 'PV-34',
    name: 'MUST NOT leave a token that cannot be opened when an owner is erased during tokenizations',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      const answers = await Promise.allSettled([
        ...Array.from({ length: 10 }, () => tokenFor(handles[0].vault, maria)),
        handles[1].vault.eraseOwner(maria),
        ...Array.from({ length: 10 }, () => tokenFor(handles[1].vault, maria)),
      ])
      const [{ vault }] = handles
      for (const answer of answers) {
        if (answer.status === 'rejected' || typeof answer.value === 'number') continue
        const [facts] = await vault.inspect(maria, [answer.value])
        if (facts)
          assertEqual(await vault.reveal({ owner: maria, token: facts.token, ...AUDITED }), '078051120', 'opens')
      }
      for (const handle of handles) await handle.close()
    },
  },
]
