import type { OwnedToken } from '../tokenization/pii-vault.js'
import { parseToken, type Token } from '../tokenization/token.js'
import { assertEqual, assertRejects, assertThat } from './conformance-case.js'
import type { PiiVaultCase } from './pii-vault-cases.js'
import { AUDITED, DETAILS, DOCUMENT_NUMBER, OWNERS, SSN, tokenFor, withVault } from './vault-values.js'
import { documentToken, ssnToken } from './verification-submissions.js'

const { maria, jonas, mariaElsewhere } = OWNERS
const DAY_MS = 86_400_000

/** Cases about tokens: format, ownership, facts, age. */
export const vaultTokenCases: readonly PiiVaultCase[] = [
  {
    id: 'PV-01',
    name: 'MUST return results in the order of the values, each of the same kind, tokens in the documented format',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const answers = await vault.tokenize(maria, [
          DETAILS,
          SSN,
          DOCUMENT_NUMBER,
          { ...DETAILS, part: 'photo_front' },
        ])
        assertEqual(
          answers.map((answer) => answer.kind),
          ['record', 'ssn', 'document_number', 'record'],
          'the kinds',
        )
        const tokens = answers.flatMap((answer) => (answer.kind === 'record' ? [] : [parseToken(answer.token)]))
        assertEqual(
          tokens.map((token) => token && { field: token.field, lastFour: token.lastFour }),
          [
            { field: 'ssn', lastFour: '1120' },
            { field: 'document_number', lastFour: null },
          ],
          'the tokens',
        )
      }),
  },
  {
    id: 'PV-02',
    name: 'MUST give a fresh token each time, also for a value seen before',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const answers = await vault.tokenize(maria, [SSN, SSN])
        const tokens = answers.flatMap((answer) => (answer.kind === 'record' ? [] : [answer.token]))
        tokens.push(await tokenFor(vault, maria), await tokenFor(vault, jonas))
        assertThat(new Set(tokens).size === 4, 'four tokenizations, four tokens')
      }),
  },
  {
    id: 'PV-03',
    name: 'MUST write nothing for an empty list of values',
    run: (harness) =>
      withVault(harness, async (vault) => {
        assertEqual(await vault.tokenize(maria, []), [], 'the answer')
        assertEqual(await vault.listOlderThan({ ageMs: -1, limit: 10 }), [], 'no token exists')
      }),
  },
  {
    id: 'PV-04',
    name: 'MUST tokenize all values or none',
    run: (harness) =>
      withVault(harness, async (vault) => {
        // An SSN without four digits has no token, so the second value cannot be tokenized.
        const refused = await vault.tokenize(maria, [SSN, { kind: 'ssn', value: '12' }]).then(
          () => false,
          () => true,
        )
        assertThat(refused, 'a value that cannot be tokenized is an error')
        assertEqual(await vault.listOlderThan({ ageMs: -1, limit: 10 }), [], 'no token is left behind')
      }),
  },
  {
    id: 'PV-05',
    name: 'MUST reveal each SSN to its owner, also of two with the same last four digits',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const values = ['078051120', '219091120']
        const tokens = [await tokenFor(vault, maria), await tokenFor(vault, maria, { kind: 'ssn', value: '219091120' })]
        for (const [index, token] of tokens.entries())
          assertEqual(await vault.reveal({ owner: maria, token, ...AUDITED }), values[index], 'the clear value')
      }),
  },
  {
    id: 'PV-06',
    name: 'MUST refuse to reveal a document number, also one of nine digits: NOT_REVEALABLE',
    run: (harness) =>
      withVault(harness, async (vault) => {
        for (const number of [DOCUMENT_NUMBER, { ...DOCUMENT_NUMBER, value: '078051120' }]) {
          const token = await tokenFor(vault, maria, number)
          await assertRejects(vault.reveal({ owner: maria, token, ...AUDITED }), 'NOT_REVEALABLE', 'only a hash exists')
        }
      }),
  },
  {
    id: 'PV-07',
    name: 'MUST answer TOKEN_UNKNOWN for wrong app, wrong user, unknown, forged and malformed tokens alike',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const token = await tokenFor(vault, maria)
        const number = await tokenFor(vault, maria, DOCUMENT_NUMBER)
        const attempts: readonly [string, typeof maria | typeof mariaElsewhere, string][] = [
          ['another app', mariaElsewhere, token],
          ['another user', jonas, token],
          ["another app's document number", mariaElsewhere, number],
          ['unknown', maria, ssnToken(1)],
          ['unknown document number', maria, documentToken(1)],
          ['other last four', maria, token.replace(/\d{4}$/, '1121')],
          ['other field', maria, token.replace('tok_ssn_', 'tok_document_number_').replace(/_\d{4}$/, '')],
          ['cut off', maria, token.slice(0, -5)],
          ['lower case', maria, token.toLowerCase() === token ? `${token}x` : token.toLowerCase()],
          ['a trailing space', maria, `${token} `],
          ['not a token', maria, "' OR 1=1 --"],
          ['empty', maria, ''],
        ]
        for (const [what, owner, text] of attempts) {
          await assertRejects(vault.reveal({ owner, token: text as Token, ...AUDITED }), 'TOKEN_UNKNOWN', what)
          assertEqual(await vault.inspect(owner, [text]), [null], `${what} is not told apart`)
        }
      }),
  },
  {
    id: 'PV-08',
    name: 'MUST return the facts of tokens in the order of the request, including repeated and unknown tokens',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const ssn = await tokenFor(vault, maria)
        await harness.advance(5_000)
        const number = await tokenFor(vault, maria, DOCUMENT_NUMBER)
        const facts = await vault.inspect(maria, [number, ssnToken(1), ssn, number])
        assertEqual(
          facts.map((fact) => fact && [fact.token, fact.field, fact.lastFour]),
          [[number, 'document_number', null], null, [ssn, 'ssn', '1120'], [number, 'document_number', null]],
          'the facts',
        )
        const [later, , earlier] = facts
        assertEqual((later?.createdAt.getTime() ?? 0) - (earlier?.createdAt.getTime() ?? 0), 5_000, 'the times')
        assertEqual(await vault.inspect(maria, []), [], 'none asked')
      }),
  },
  {
    id: 'PV-09',
    name: 'MUST list tokens older than an age by its own clock, oldest first, in pages',
    run: (harness) =>
      withVault(harness, async (vault) => {
        const tokens: OwnedToken[] = []
        for (const owner of [maria, jonas, mariaElsewhere, maria]) {
          tokens.push({ ...owner, token: await tokenFor(vault, owner) })
          await harness.advance(1_000)
        }
        await harness.advance(DAY_MS - 4_000)
        // The first is now exactly a day old, which is not more than a day.
        assertEqual(await vault.listOlderThan({ ageMs: DAY_MS, limit: 10 }), [], 'exactly the age')
        await harness.advance(1)
        assertEqual(await vault.listOlderThan({ ageMs: DAY_MS, limit: 10 }), tokens.slice(0, 1), 'a millisecond more')
        await harness.advance(DAY_MS)
        const first = await vault.listOlderThan({ ageMs: DAY_MS, limit: 3 })
        assertEqual(first, tokens.slice(0, 3), 'the first page')
        const last = first.at(-1) as OwnedToken
        assertEqual(await vault.listOlderThan({ ageMs: DAY_MS, limit: 3, after: last }), tokens.slice(3), 'the second')
      }),
  },
  {
    id: 'PV-10',
    name: 'MUST give every one of 20 concurrent first tokenizations of an owner, over two handles, a token that opens',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      const tokens = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          tokenFor(handles[index % 2 === 0 ? 0 : 1].vault, maria, { kind: 'ssn', value: `0780511${10 + index}` }),
        ),
      )
      assertThat(new Set(tokens).size === 20, 'twenty tokens')
      for (const [index, token] of tokens.entries()) {
        const clear = await handles[0].vault.reveal({ owner: maria, token, ...AUDITED })
        assertEqual(clear, `0780511${10 + index}`, 'each opens to its own value')
      }
      for (const handle of handles) await handle.close()
    },
  },
  {
    id: 'PV-11',
    name: 'MUST keep all data after all handles were closed, with the times of tokens',
    async run(harness) {
      const { token, facts } = await withVault(harness, async (vault) => {
        const made = await tokenFor(vault, maria)
        return { token: made, facts: await vault.inspect(maria, [made]) }
      })
      await harness.advance(1_000)
      await withVault(harness, async (vault) => {
        assertEqual(await vault.reveal({ owner: maria, token, ...AUDITED }), '078051120', 'the clear value')
        assertEqual(await vault.inspect(maria, [token]), facts, 'the facts')
        assertEqual(await vault.listOlderThan({ ageMs: 999, limit: 1 }), [{ ...maria, token }], 'made a second ago')
      })
    },
  },
  {
    id: 'PV-12',
    name: 'MUST give equal values the same 32-byte fingerprint in every handle, and a different one for another purpose or value',
    async run(harness) {
      const [first, again, purpose, field, value] = await withVault(harness, (vault) =>
        Promise.all([
          vault.fingerprint('payload', '078051120'),
          vault.fingerprint('payload', '078051120'),
          vault.fingerprint('ssn', '078051120'),
          vault.fingerprint('document_number', '078051120'),
          vault.fingerprint('payload', '078051121'),
        ]),
      )
      const later = await withVault(harness, (vault) => vault.fingerprint('payload', '078051120'))
      assertThat(first?.length === 32, 'the length')
      assertEqual([again, later], [first, first], 'equal values')
      const texts = [first, purpose, field, value].map((bytes) => String(bytes))
      assertThat(new Set(texts).size === 4, 'different purposes and values')
    },
  },
]
