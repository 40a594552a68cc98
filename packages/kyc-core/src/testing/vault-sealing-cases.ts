import type { AppUser } from '../tokenization/pii-vault.js'
import { assertEqual, assertRejects, assertThat, everythingIn } from './conformance-case.js'
import type { PiiVaultCase } from './pii-vault-cases.js'
import { AUDITED, DETAILS, DOCUMENT_NUMBER, OWNERS, sealedFor, tokenFor, withVault } from './vault-values.js'
import { uuid } from './verification-submissions.js'

const { maria, jonas, mariaElsewhere } = OWNERS

/** Cases about sealed parts of records. */
export const vaultSealingCases: readonly PiiVaultCase[] = [
  {
    id: 'PV-20',
    name: 'MUST open a sealed part of a record with any text for its owner, in another handle too',
    async run(harness) {
      const texts = [DETAILS.value, '', 'a', '\u0000\uffff😀', 'x'.repeat(200_000)]
      for (const value of texts) {
        const sealed = await withVault(harness, (vault) => sealedFor(vault, maria, { ...DETAILS, value }))
        await withVault(harness, async (vault) => {
          const { recordId, part } = DETAILS
          const clear = await vault.openRecord({ owner: maria, recordId, part, sealed, ...AUDITED })
          assertThat(clear === value, 'the clear text')
        })
      }
    },
  },
  {
    id: 'PV-21',
    name: 'MUST answer SEAL_BROKEN for another owner, record or part',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const { recordId, part } = DETAILS
        for (const owner of [jonas, mariaElsewhere]) await sealedFor(vault, owner)
        const sealed = await sealedFor(vault, maria)
        const attempts: readonly [string, AppUser, string, string][] = [
          ['another user', jonas, recordId, part],
          ['another app', mariaElsewhere, recordId, part],
          ['an owner nothing is known of', { ...maria, userId: uuid(99) }, recordId, part],
          ['another record', maria, uuid(2), part],
          ['another part', maria, recordId, 'photo_front'],
          ['record and part joined differently', maria, `${recordId}d`, 'etails'],
        ]
        for (const [what, owner, id, name] of attempts) {
          await assertRejects(
            vault.openRecord({ owner, recordId: id, part: name, sealed, ...AUDITED }),
            'SEAL_BROKEN',
            what,
          )
        }
      }),
  },
  {
    id: 'PV-22',
    name: 'MUST answer SEAL_BROKEN when any byte was changed, or bytes are missing or added',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const { recordId, part } = DETAILS
        const sealed = await sealedFor(vault, maria)
        const changed = [...sealed.keys()].map((index) => sealed.map((byte, at) => (at === index ? byte ^ 1 : byte)))
        const resized = [
          new Uint8Array(0),
          sealed.slice(0, 1),
          sealed.slice(0, -1),
          sealed.slice(1),
          new Uint8Array([...sealed, 0]),
        ]
        for (const bytes of [...changed, ...resized]) {
          const opened = vault.openRecord({ owner: maria, recordId, part, sealed: bytes, ...AUDITED })
          await assertRejects(opened, 'SEAL_BROKEN', 'damaged bytes')
        }
      }),
  },
  {
    id: 'PV-23',
    name: 'MUST seal the same text differently each time',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const [first, second] = [await sealedFor(vault, maria), await sealedFor(vault, maria)]
        assertThat(String(first) !== String(second), 'two sealings differ')
      }),
  },
  {
    id: 'PV-24',
    name: 'MUST NOT hold clear text in sealed bytes',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const sealed = new TextDecoder('latin1').decode(await sealedFor(vault, maria))
        assertThat(!sealed.includes('Canary') && !sealed.includes('1985-04-12'), 'nothing readable is in them')
      }),
  },
  {
    id: 'PV-25',
    name: 'MUST NOT repeat a token, an id or a clear value in an error',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const { recordId, part } = DETAILS
        const ssn = await tokenFor(vault, maria)
        const number = await tokenFor(vault, maria, DOCUMENT_NUMBER)
        const sealed = await sealedFor(vault, maria)
        const errors = [
          await assertRejects(vault.reveal({ owner: jonas, token: ssn, ...AUDITED }), 'TOKEN_UNKNOWN', 'another user'),
          await assertRejects(vault.reveal({ owner: maria, token: number, ...AUDITED }), 'NOT_REVEALABLE', 'a hash'),
          await assertRejects(
            vault.openRecord({ owner: jonas, recordId, part, sealed, ...AUDITED }),
            'SEAL_BROKEN',
            'another user',
          ),
        ]
        const shown = errors.map(everythingIn).join('\n')
        for (const secret of [ssn, number, maria.userId, jonas.userId, recordId, 'Canary', 'CANARY', '078051120']) {
          assertThat(!shown.replaceAll(/\n\s+at .*/g, '').includes(secret), 'an error repeats what it was given')
        }
      }),
  },
  {
    id: 'PV-26',
    name: 'MUST open each of many values that were sealed at once, of one owner and of several',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const several = Array.from({ length: 10 }, (_, index) => ({ appId: maria.appId, userId: uuid(200 + index) }))
        const owners = [...several, ...several.map(() => maria)]
        const { recordId, part } = DETAILS
        const all = await Promise.all(
          owners.map((owner, index) => sealedFor(vault, owner, { ...DETAILS, value: `person ${index}` })),
        )
        for (const [index, owner] of owners.entries()) {
          const sealed = all[index] as Uint8Array
          const clear = await vault.openRecord({ owner, recordId, part, sealed, ...AUDITED })
          assertEqual(clear, `person ${index}`, 'each opens to its own text')
        }
      }),
  },
]
