import { createIngestion } from '../ingestion/ingest-submission.js'
import type { AppUser, ClearValue, OwnedToken } from '../tokenization/pii-vault.js'
import { assertEqual, assertRejects, assertThat } from './conformance-case.js'
import { createMemoryVerificationStore } from './memory-verification-store.js'
import type { PiiVaultCase, VaultUnderTest } from './pii-vault-cases.js'
import { sampleSubmission } from './sample-submission.js'
import { AUDITED, DOCUMENT_NUMBER, OWNERS, tokenFor, withVault } from './vault-values.js'
import { ssnToken, uuid } from './verification-submissions.js'

const { maria, jonas, mariaElsewhere } = OWNERS
const DAY_MS = 86_400_000
const many = 1_000

async function ownedTokenFor(vault: VaultUnderTest, owner: AppUser, value?: ClearValue): Promise<OwnedToken> {
  return { ...owner, token: await tokenFor(vault, owner, value) }
}

/** Tokens of two owners by turns. */
async function tokensFor(vault: VaultUnderTest, count: number): Promise<OwnedToken[]> {
  const tokens: OwnedToken[] = []
  for (let made = 0; made < count; made++) tokens.push(await ownedTokenFor(vault, made % 2 === 0 ? maria : jonas))
  return tokens
}

const unknown: OwnedToken = { ...maria, token: ssnToken(1) }

const listAll = (vault: VaultUnderTest, ageMs = -1) => vault.listQuarantined({ ageMs, limit: many })

/** Cases about the quarantine of tokens. */
export const vaultQuarantineCases: readonly PiiVaultCase[] = [
  {
    id: 'PV-60',
    name: 'MUST inspect a token in quarantine as unknown, still reveal it, and count the tokens that entered',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const token = await ownedTokenFor(vault, maria)
        const number = await ownedTokenFor(vault, maria, DOCUMENT_NUMBER)
        const kept = await ownedTokenFor(vault, maria)
        const asked = { tokens: [token, number, unknown, token], mostInADay: many }
        assertEqual(await vault.quarantine(asked), 2, 'two entered')
        assertEqual(await vault.quarantine(asked), 0, 'repeating is harmless')
        assertEqual(await vault.quarantine({ tokens: [], mostInADay: many }), 0, 'none asked')
        const facts = await vault.inspect(
          maria,
          [token, number, kept].map((owned) => owned.token),
        )
        assertEqual(
          facts.map((fact) => fact?.token ?? null),
          [null, null, kept.token],
          'only the third is known',
        )
        assertEqual(
          await vault.reveal({ owner: maria, token: token.token, ...AUDITED }),
          '078051120',
          'the SSN is revealed',
        )
        const opened = vault.reveal({ owner: maria, token: number.token, ...AUDITED })
        await assertRejects(opened, 'NOT_REVEALABLE', 'the number has a row')
        await assertRejects(
          vault.reveal({ owner: jonas, token: token.token, ...AUDITED }),
          'TOKEN_UNKNOWN',
          'to its owner alone',
        )
      }),
  },
  {
    id: 'PV-61',
    name: 'MUST know a restored token again, in every handle, and count the tokens that left',
    async run(harness) {
      const [first, second] = [await harness.open(), await harness.open()]
      const tokens = await tokensFor(first.vault, 3)
      const [one, two, three] = tokens as [OwnedToken, OwnedToken, OwnedToken]
      await first.vault.quarantine({ tokens, mostInADay: many })
      assertEqual(await second.vault.restore([one, unknown, three, one]), 2, 'two left')
      assertEqual(await second.vault.restore([one, three]), 0, 'repeating is harmless')
      assertEqual(await second.vault.restore([]), 0, 'none asked')
      assertThat((await first.vault.inspect(maria, [one.token]))[0]?.token === one.token, 'the restored one is known')
      assertEqual(await first.vault.inspect(jonas, [two.token]), [null], 'the other one is not')
      assertEqual(await listAll(first.vault), [two], 'which alone is in quarantine')
      await first.close()
      await second.close()
    },
  },
  {
    id: 'PV-62',
    name: 'MUST list tokens outside quarantine by age, and quarantined tokens by time of entry, in pages',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const tokens = await tokensFor(vault, 5)
        const [one, two, three, four, five] = tokens as [OwnedToken, OwnedToken, OwnedToken, OwnedToken, OwnedToken]
        for (const token of [four, two, five]) {
          await vault.quarantine({ tokens: [token], mostInADay: many })
          await harness.advance(1_000)
        }
        assertEqual(await vault.listOlderThan({ ageMs: -1, limit: many }), [one, three], 'in use')
        assertEqual(await listAll(vault), [four, two, five], 'longest first')
        assertEqual(await vault.listQuarantined({ ageMs: -1, limit: 2 }), [four, two], 'the first page')
        assertEqual(await vault.listQuarantined({ ageMs: -1, limit: 2, after: two }), [five], 'the second')
        // The first entered exactly three seconds ago, which is not more than three seconds.
        assertEqual(await listAll(vault, 3_000), [], 'exactly the age')
        assertEqual(await listAll(vault, 2_999), [four], 'a millisecond more')
      }),
  },
  {
    id: 'PV-63',
    name: 'MUST destroy only named tokens that were in quarantine for longer than `ageMs`',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const [old, left, young, used] = (await tokensFor(vault, 4)) as [OwnedToken, OwnedToken, OwnedToken, OwnedToken]
        await vault.quarantine({ tokens: [old, left], mostInADay: many })
        await harness.advance(DAY_MS)
        await vault.quarantine({ tokens: [young], mostInADay: many })
        const request = { tokens: [old, young, used, unknown, old], ageMs: DAY_MS }
        assertEqual(await vault.destroyQuarantined(request), 0, 'exactly the age')
        await harness.advance(1)
        assertEqual(await vault.destroyQuarantined(request), 1, 'a millisecond more')
        assertEqual(await vault.destroyQuarantined(request), 0, 'repeating is harmless')
        assertEqual(await vault.destroyQuarantined({ tokens: [], ageMs: -1 }), 0, 'none asked')
        assertEqual(await listAll(vault), [left, young], 'the others stay')
        const owner = maria
        await assertRejects(vault.reveal({ owner, token: old.token, ...AUDITED }), 'TOKEN_UNKNOWN', 'the destroyed one')
        assertEqual(await vault.reveal({ owner, token: young.token, ...AUDITED }), '078051120', 'the young one')
        assertEqual(await vault.restore([old]), 0, 'it cannot be restored')
        await vault.restore([left])
        assertEqual(await vault.destroyQuarantined({ tokens: [left], ageMs: -1 }), 0, 'a restored one stays')
      }),
  },
  {
    id: 'PV-64',
    name: 'MUST restart the time in quarantine for a token that was restored',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const token = await ownedTokenFor(vault, maria)
        await vault.quarantine({ tokens: [token], mostInADay: many })
        await harness.advance(DAY_MS)
        await vault.restore([token])
        await vault.quarantine({ tokens: [token], mostInADay: many })
        await harness.advance(1)
        assertEqual(await listAll(vault, DAY_MS), [], 'it has just entered')
        assertEqual(await vault.destroyQuarantined({ tokens: [token], ageMs: DAY_MS }), 0, 'it is not destroyed')
      }),
  },
  {
    id: 'PV-65',
    name: 'MUST quarantine no token when more than `mostInADay` would have entered within 24 hours',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const tokens = await tokensFor(vault, 8)
        const [first, second, third] = [tokens.slice(0, 3), tokens.slice(3, 6), tokens.slice(6)]
        assertEqual(await vault.quarantine({ tokens: first, mostInADay: 2 }), null, 'three are more than two')
        assertEqual(await listAll(vault), [], 'nothing entered')
        assertEqual(await vault.quarantine({ tokens: first, mostInADay: 3 }), 3, 'three are not more than three')
        // Tokens already in quarantine are not counted again.
        assertEqual(await vault.quarantine({ tokens: [...first, ...second], mostInADay: 6 }), 3, 'three more')
        await harness.advance(DAY_MS - 1)
        assertEqual(await vault.quarantine({ tokens: third, mostInADay: 7 }), null, 'eight within 24 hours')
        assertEqual((await vault.countTokens({ limit: many })).quarantinedInADay, 6, 'six entered')
        await harness.advance(1)
        assertEqual(await vault.quarantine({ tokens: third, mostInADay: 2 }), 2, 'the first six entered 24 hours ago')
        assertEqual(await listAll(vault), tokens, 'in the order in which they entered')
      }),
  },
  {
    id: 'PV-66',
    name: 'MUST count over all handles: `mostInADay` holds for 20 racing callers',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      const tokens = await tokensFor(handles[0].vault, 20)
      const answers = await Promise.all(
        tokens.map((token, index) =>
          handles[index % 2 === 0 ? 0 : 1].vault.quarantine({ tokens: [token], mostInADay: 7 }),
        ),
      )
      assertEqual(answers.filter((answer) => answer === 1).length, 7, 'seven succeed')
      assertEqual(answers.filter((answer) => answer === null).length, 13, 'the others are told')
      assertEqual((await listAll(handles[1].vault)).length, 7, 'seven are in quarantine')
      for (const handle of handles) await handle.close()
    },
  },
  {
    id: 'PV-67',
    name: 'MUST count tokens in quarantine and in use up to the limit, and only those that entered within 24 hours',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const count = (limit = many) => vault.countTokens({ limit })
        assertEqual(await count(), { tokens: 0, quarantinedInADay: 0 }, 'an empty vault')
        const tokens = await tokensFor(vault, 4)
        await vault.quarantine({ tokens: tokens.slice(0, 2), mostInADay: many })
        assertEqual(await count(), { tokens: 4, quarantinedInADay: 2 }, 'two of four')
        assertEqual(await count(3), { tokens: 3, quarantinedInADay: 2 }, 'up to the limit')
        await vault.restore(tokens.slice(0, 1))
        assertEqual(await count(), { tokens: 4, quarantinedInADay: 1 }, 'one left')
        await harness.advance(DAY_MS)
        assertEqual(await count(), { tokens: 4, quarantinedInADay: 0 }, 'a day later')
      }),
  },
  {
    id: 'PV-68',
    name: 'MUST also erase the quarantined tokens of an owner',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const token = await ownedTokenFor(vault, maria)
        await tokenFor(vault, maria)
        await vault.quarantine({ tokens: [token], mostInADay: many })
        assertEqual(await vault.eraseOwner(maria), 2, 'two tokens went')
        assertEqual(await listAll(vault), [], 'none is in quarantine')
        assertEqual(await vault.restore([token]), 0, 'none can be restored')
      }),
  },
  {
    id: 'PV-69',
    name: 'MUST keep quarantine and its times after all handles were closed',
    async run(harness) {
      const token = await withVault(harness, async (vault) => {
        const made = await ownedTokenFor(vault, maria)
        await vault.quarantine({ tokens: [made], mostInADay: many })
        return made
      })
      await harness.advance(1_000)
      await withVault(harness, async (vault) => {
        assertEqual(await vault.inspect(maria, [token.token]), [null], 'it is unknown')
        assertEqual(await listAll(vault, 999), [token], 'since a second')
        assertEqual((await vault.countTokens({ limit: 1 })).quarantinedInADay, 1, 'it still counts')
        assertEqual(await vault.restore([token]), 1, 'it can be restored')
      })
    },
  },
  {
    id: 'PV-70',
    name: 'MUST make a submission with a quarantined token fail with TOKEN_INVALID until the token is restored',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const { person, verifications: checks } = sampleSubmission()
        const ssn = await tokenFor(vault, maria, { kind: 'ssn', value: person.ssn.replaceAll('-', '') })
        const documentNumber = await tokenFor(vault, maria, DOCUMENT_NUMBER)
        const [facts] = await vault.inspect(maria, [ssn])
        const at = facts?.createdAt ?? new Date(0)
        let ids = 0
        const ingestion = createIngestion({
          verifications: createMemoryVerificationStore(),
          tokenizer: vault,
          inspector: vault,
          now: () => at,
          newId: () => uuid((ids += 1)),
        })
        const submission = sampleSubmission({
          decisionedAt: at.toISOString(),
          person: { ...person, ssn },
          verifications: { ...checks, document: { ...checks.document, documentNumber } },
        })
        await vault.quarantine({ tokens: [{ ...maria, token: ssn }], mostInADay: many })
        const refused = await ingestion.ingestTokenizedSubmission(maria, submission)
        assertThat(refused.kind === 'refused', 'it is refused')
        const codes = refused.violations.map(({ pointer, code }) => ({ pointer, code }))
        assertEqual(codes, [{ pointer: '/person/ssn', code: 'TOKEN_INVALID' }], 'the violations')
        await vault.restore([{ ...maria, token: ssn }])
        assertEqual((await ingestion.ingestTokenizedSubmission(maria, submission)).kind, 'recorded', 'then it is taken')
      }),
  },
  {
    id: 'PV-71',
    name: "MUST leave a token alone that is given with another owner's user or app",
    run: (harness) =>
      withVault(harness, async (vault) => {
        const token = await ownedTokenFor(vault, maria)
        for (const owner of [jonas, mariaElsewhere]) {
          const wrong = [{ ...owner, token: token.token }]
          assertEqual(await vault.quarantine({ tokens: wrong, mostInADay: many }), 0, 'it does not enter')
          await vault.quarantine({ tokens: [token], mostInADay: many })
          assertEqual(await vault.restore(wrong), 0, 'it does not leave')
          assertEqual(await vault.destroyQuarantined({ tokens: wrong, ageMs: -1 }), 0, 'it is not destroyed')
          assertEqual(await vault.restore([token]), 1, 'its owner takes it out')
        }
      }),
  },
]
