import { describe, expect, it } from 'vitest'
import type { OwnedToken } from '../../src/tokenization/pii-vault.js'
import { KycError, type Token, type TokenizedValue } from '@kyc-relay/kyc-core'
import { parseToken } from '@kyc-relay/kyc-core/internal'
import { piiVaultCases, type PiiVault } from '@kyc-relay/kyc-core/testing'
import { OWNERS } from '../../src/testing/vault-values.js'
import { createMemoryVaultHarness } from '../testing/memory-vault-harness.js'

/*
 * Vaults that are wrong on purpose, each in one way. The cases must catch every one of them, or a wrong vault of somebody
 * else would pass as well.
 */

type Wrong = (vault: PiiVault) => PiiVault

/** What a wrong vault remembers over its handles; made afresh for every case. */
function remembering(make: (memory: Map<string, unknown>) => Wrong): () => Wrong {
  return () => make(new Map())
}
const plainly =
  (wrong: Wrong): (() => Wrong) =>
  () =>
    wrong

const tokensOf = (answers: readonly TokenizedValue[]): Token[] =>
  answers.flatMap((answer) => (answer.kind === 'record' ? [] : [answer.token]))

const WRONG: readonly (readonly [what: string, caughtBy: string, make: () => Wrong])[] = [
  [
    'answers in another order',
    'PV-01',
    plainly((vault) => ({
      ...vault,
      tokenize: async (owner, values) => [...(await vault.tokenize(owner, values))].reverse(),
    })),
  ],
  [
    'makes tokens of another format',
    'PV-01',
    plainly((vault) => ({
      ...vault,
      tokenize: async (owner, values) =>
        (await vault.tokenize(owner, values)).map((answer) =>
          answer.kind === 'record' ? answer : { ...answer, token: answer.token.replace('tok_', 'tok_live_') as Token },
        ),
    })),
  ],
  [
    'gives one token per value',
    'PV-02',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        return answers.map((answer, index) => {
          const key = JSON.stringify([owner, values[index]])
          if (!memory.has(key)) memory.set(key, answer)
          return memory.get(key) as TokenizedValue
        })
      },
    })),
  ],
  [
    'writes something for no values',
    'PV-03',
    plainly((vault) => ({
      ...vault,
      async tokenize(owner, values) {
        if (values.length === 0) await vault.tokenize(owner, [{ kind: 'ssn', value: '000000000' }])
        return vault.tokenize(owner, values)
      },
    })),
  ],
  [
    'tokenizes one after the other',
    'PV-04',
    plainly((vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers: TokenizedValue[] = []
        for (const value of values) answers.push(...(await vault.tokenize(owner, [value])))
        return answers
      },
    })),
  ],
  [
    'reveals the last four only',
    'PV-05',
    plainly((vault) => ({ ...vault, reveal: async (request) => (await vault.reveal(request)).slice(-4) })),
  ],
  [
    'keeps document numbers to reveal them',
    'PV-06',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        answers.forEach(
          (answer, index) => answer.kind === 'document_number' && memory.set(answer.token, values[index]?.value),
        )
        return answers
      },
      reveal: async (request) => (memory.get(request.token) as string | undefined) ?? vault.reveal(request),
    })),
  ],
  [
    'reveals to every user of the app',
    'PV-07',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        for (const token of tokensOf(answers)) memory.set(token, owner)
        return answers
      },
      reveal(request) {
        const owner = memory.get(request.token) as typeof request.owner | undefined
        return vault.reveal(owner?.appId === request.owner.appId ? { ...request, owner } : request)
      },
    })),
  ],
  [
    'inspects the tokens of every app',
    'PV-07',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        for (const token of tokensOf(answers)) memory.set(token, owner)
        return answers
      },
      async inspect(owner, tokens) {
        const asked = tokens.map((token) =>
          vault.inspect((memory.get(token) as typeof owner | undefined) ?? owner, [token]),
        )
        return (await Promise.all(asked)).flat()
      },
    })),
  ],
  [
    'trims what it is asked for',
    'PV-07',
    plainly((vault) => ({
      ...vault,
      reveal: (request) => vault.reveal({ ...request, token: request.token.trim() as Token }),
    })),
  ],
  [
    'tells the format of an unknown token',
    'PV-07',
    plainly((vault) => ({
      ...vault,
      async inspect(owner, tokens) {
        const facts = await vault.inspect(owner, tokens)
        return facts.map((fact, index) => {
          const parsed = parseToken(tokens[index])
          return fact ?? (parsed && { ...parsed, createdAt: new Date(0) })
        })
      },
    })),
  ],
  [
    'leaves unknown tokens out',
    'PV-08',
    plainly((vault) => ({
      ...vault,
      inspect: async (owner, tokens) => (await vault.inspect(owner, tokens)).filter((fact) => fact !== null),
    })),
  ],
  [
    'answers each token once',
    'PV-08',
    plainly((vault) => ({ ...vault, inspect: (owner, tokens) => vault.inspect(owner, [...new Set(tokens)]) })),
  ],
  [
    'counts tokens of exactly the age',
    'PV-09',
    plainly((vault) => ({
      ...vault,
      listOlderThan: (request) => vault.listOlderThan({ ...request, ageMs: request.ageMs - 1 }),
    })),
  ],
  [
    'lists the newest first',
    'PV-09',
    plainly((vault) => ({
      ...vault,
      listOlderThan: async (request) => [...(await vault.listOlderThan(request))].reverse(),
    })),
  ],
  [
    'begins every page at the start',
    'PV-09',
    plainly((vault) => ({ ...vault, listOlderThan: ({ ageMs, limit }) => vault.listOlderThan({ ageMs, limit }) })),
  ],
  [
    'ignores the limit of a page',
    'PV-09',
    plainly((vault) => ({ ...vault, listOlderThan: (request) => vault.listOlderThan({ ...request, limit: 100 }) })),
  ],
  [
    'forgets the purpose of a fingerprint',
    'PV-12',
    plainly((vault) => ({ ...vault, fingerprint: (_purpose, value) => vault.fingerprint('payload', value) })),
  ],
  [
    'shortens fingerprints',
    'PV-12',
    plainly((vault) => ({
      ...vault,
      fingerprint: async (purpose, value) => (await vault.fingerprint(purpose, value)).slice(0, 16),
    })),
  ],
  [
    'fingerprints with a key of the process',
    'PV-12',
    remembering((memory) => (vault) => {
      memory.set('handles', Number(memory.get('handles') ?? 0) + 1)
      const salt = String(memory.get('handles'))
      return { ...vault, fingerprint: (purpose, value) => vault.fingerprint(purpose, `${salt}${value}`) }
    }),
  ],
  [
    'cuts sealed text at 100,000 characters',
    'PV-20',
    plainly((vault) => ({
      ...vault,
      openRecord: async (request) => (await vault.openRecord(request)).slice(0, 100_000),
    })),
  ],
  [
    'binds nothing to the part',
    'PV-21',
    plainly((vault) => ({
      ...vault,
      tokenize: (owner, values) =>
        vault.tokenize(
          owner,
          values.map((value) => (value.kind === 'record' ? { ...value, part: '' } : value)),
        ),
      openRecord: (request) => vault.openRecord({ ...request, part: '' }),
    })),
  ],
  [
    'binds nothing to the record',
    'PV-21',
    plainly((vault) => ({
      ...vault,
      tokenize: (owner, values) =>
        vault.tokenize(
          owner,
          values.map((value) => (value.kind === 'record' ? { ...value, recordId: '' } : value)),
        ),
      openRecord: (request) => vault.openRecord({ ...request, recordId: '' }),
    })),
  ],
  [
    'binds record and part joined',
    'PV-21',
    plainly((vault) => ({
      ...vault,
      tokenize: (owner, values) =>
        vault.tokenize(
          owner,
          values.map((value) =>
            value.kind === 'record' ? { ...value, part: `${value.recordId}${value.part}`, recordId: '' } : value,
          ),
        ),
      openRecord: (request) =>
        vault.openRecord({ ...request, part: `${request.recordId}${request.part}`, recordId: '' }),
    })),
  ],
  [
    'overlooks bytes at the end',
    'PV-22',
    plainly((vault) => ({
      ...vault,
      openRecord: (request) =>
        vault.openRecord(request).catch(() => vault.openRecord({ ...request, sealed: request.sealed.slice(0, -1) })),
    })),
  ],
  [
    'answers nothing where the seal is broken',
    'PV-22',
    plainly((vault) => ({ ...vault, openRecord: (request) => vault.openRecord(request).catch(() => '') })),
  ],
  [
    'seals one text in one way',
    'PV-23',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        return answers.map((answer, index) => {
          const key = JSON.stringify(values[index])
          if (answer.kind === 'record' && !memory.has(key)) memory.set(key, answer)
          return answer.kind === 'record' ? (memory.get(key) as TokenizedValue) : answer
        })
      },
    })),
  ],
  [
    'does not seal at all',
    'PV-24',
    plainly((vault) => ({
      ...vault,
      tokenize: async (owner, values) =>
        (await vault.tokenize(owner, values)).map((answer, index) =>
          answer.kind === 'record' ? { ...answer, sealed: new TextEncoder().encode(values[index]?.value) } : answer,
        ),
      openRecord: async ({ sealed }) => new TextDecoder().decode(sealed),
    })),
  ],
  [
    'repeats a token in an error',
    'PV-25',
    plainly((vault) => ({
      ...vault,
      reveal: (request) =>
        vault.reveal(request).catch((error: unknown) => {
          throw Object.assign(error as Error, { token: request.token })
        }),
    })),
  ],
  [
    'repeats a record id in the cause of an error',
    'PV-25',
    plainly((vault) => ({
      ...vault,
      openRecord: (request) =>
        vault.openRecord(request).catch(() => {
          throw new KycError('SEAL_BROKEN', { cause: new Error(request.recordId) })
        }),
    })),
  ],
  [
    'keeps sealed parts readable after an erasure',
    'PV-30',
    remembering((memory) => (vault) => ({
      ...vault,
      async openRecord(request) {
        const key = JSON.stringify([request.owner, request.recordId, request.part])
        const clear = await vault.openRecord(request).catch((error: unknown) => {
          if (memory.has(key)) return memory.get(key) as string
          throw error
        })
        memory.set(key, clear)
        return clear
      },
    })),
  ],
  [
    'counts nothing when it erases',
    'PV-30',
    plainly((vault) => ({ ...vault, eraseOwner: async (owner) => (await vault.eraseOwner(owner)) * 0 })),
  ],
  [
    'erases all users of the app',
    'PV-31',
    remembering((memory) => (vault) => ({
      ...vault,
      tokenize(owner, values) {
        memory.set(JSON.stringify(owner), owner)
        return vault.tokenize(owner, values)
      },
      async eraseOwner(owner) {
        const erased = await vault.eraseOwner(owner)
        for (const other of memory.values() as Iterable<typeof owner>)
          if (other.appId === owner.appId) await vault.eraseOwner(other)
        return erased
      },
    })),
  ],
  [
    'erases the user in every app',
    'PV-31',
    remembering((memory) => (vault) => ({
      ...vault,
      tokenize(owner, values) {
        memory.set(JSON.stringify(owner), owner)
        return vault.tokenize(owner, values)
      },
      async eraseOwner(owner) {
        const erased = await vault.eraseOwner(owner)
        for (const other of memory.values() as Iterable<typeof owner>)
          if (other.userId === owner.userId) await vault.eraseOwner(other)
        return erased
      },
    })),
  ],
  [
    'locks an erased owner out for ever',
    'PV-32',
    remembering((memory) => (vault) => ({
      ...vault,
      tokenize(owner, values) {
        if (memory.has(JSON.stringify(owner))) throw new KycError('VAULT_UNAVAILABLE')
        return vault.tokenize(owner, values)
      },
      eraseOwner(owner) {
        memory.set(JSON.stringify(owner), true)
        return vault.eraseOwner(owner)
      },
    })),
  ],
  [
    'still lets submissions use a token in quarantine',
    'PV-60',
    remembering((memory) => (vault) => ({
      ...vault,
      async inspect(owner, tokens) {
        const facts = await vault.inspect(owner, tokens)
        const answers = facts.map((fact, index) => {
          const key = JSON.stringify([owner, tokens[index]])
          if (fact !== null) memory.set(key, fact)
          return (memory.get(key) as typeof fact | undefined) ?? null
        })
        return answers
      },
      async quarantine(request) {
        for (const owner of [OWNERS.maria, OWNERS.jonas]) {
          const facts = await vault.inspect(
            owner,
            request.tokens.map(({ token }) => token),
          )
          for (const fact of facts) if (fact !== null) memory.set(JSON.stringify([owner, fact.token]), fact)
        }
        return vault.quarantine(request)
      },
    })),
  ],
  [
    'reveals nothing that is in quarantine',
    'PV-60',
    plainly((vault) => ({
      ...vault,
      async reveal(request) {
        const held = await vault.listQuarantined({ ageMs: -1, limit: 100 })
        if (held.some(({ token }) => token === request.token)) throw new KycError('TOKEN_UNKNOWN')
        return vault.reveal(request)
      },
    })),
  ],
  [
    'counts what it is asked to quarantine',
    'PV-60',
    plainly((vault) => ({
      ...vault,
      quarantine: async (request) => ((await vault.quarantine(request)) === null ? null : request.tokens.length),
    })),
  ],
  [
    'restores nothing',
    'PV-61',
    plainly((vault) => ({ ...vault, restore: async (tokens) => new Set(tokens.map(({ token }) => token)).size })),
  ],
  [
    'restores everything',
    'PV-61',
    plainly((vault) => ({
      ...vault,
      restore: async () => vault.restore(await vault.listQuarantined({ ageMs: -1, limit: 100 })),
    })),
  ],
  [
    'lists tokens in quarantine as tokens in use',
    'PV-62',
    plainly((vault) => ({
      ...vault,
      listOlderThan: async (request) => [
        ...(await vault.listOlderThan(request)),
        ...(await vault.listQuarantined(request)),
      ],
    })),
  ],
  [
    'lists tokens in quarantine by the time they were made',
    'PV-62',
    plainly((vault) => ({
      ...vault,
      async listQuarantined(request) {
        const held = await vault.listQuarantined({ ageMs: request.ageMs, limit: 100 })
        const sorted = [...held].sort((one, next) => (one.token < next.token ? -1 : 1))
        const start = sorted.findIndex(({ token }) => token === request.after?.token) + 1
        return sorted.slice(start, start + request.limit)
      },
    })),
  ],
  [
    'counts the time of exactly the age',
    'PV-62',
    plainly((vault) => ({
      ...vault,
      listQuarantined: (request) => vault.listQuarantined({ ...request, ageMs: request.ageMs - 1 }),
    })),
  ],
  [
    'destroys what has just entered',
    'PV-63',
    plainly((vault) => ({
      ...vault,
      destroyQuarantined: ({ tokens }) => vault.destroyQuarantined({ tokens, ageMs: -1 }),
    })),
  ],
  [
    'destroys whatever is old enough',
    'PV-63',
    plainly((vault) => ({
      ...vault,
      destroyQuarantined: async ({ ageMs }) =>
        vault.destroyQuarantined({ tokens: await vault.listQuarantined({ ageMs, limit: 100 }), ageMs }),
    })),
  ],
  [
    'destroys tokens that are in use',
    'PV-63',
    plainly((vault) => ({
      ...vault,
      async destroyQuarantined(request) {
        await vault.quarantine({ tokens: request.tokens, mostInADay: 100 })
        return vault.destroyQuarantined({ tokens: request.tokens, ageMs: -1 })
      },
    })),
  ],
  [
    'remembers the first time in quarantine',
    'PV-64',
    remembering((memory) => (vault) => ({
      ...vault,
      async restore(tokens) {
        for (const { token } of tokens) memory.set(token, true)
        return vault.restore(tokens)
      },
      destroyQuarantined: ({ tokens, ageMs }) =>
        vault.destroyQuarantined({ tokens, ageMs: tokens.some(({ token }) => memory.has(token)) ? -1 : ageMs }),
    })),
  ],
  [
    'ignores the most of a day',
    'PV-65',
    plainly((vault) => ({
      ...vault,
      quarantine: ({ tokens }) => vault.quarantine({ tokens, mostInADay: 100 }),
    })),
  ],
  [
    'holds the most against each call alone',
    'PV-65',
    plainly((vault) => ({
      ...vault,
      quarantine: async ({ tokens, mostInADay }) =>
        tokens.length > mostInADay ? null : vault.quarantine({ tokens, mostInADay: 100 }),
    })),
  ],
  [
    'quarantines as many as the most allows',
    'PV-65',
    plainly((vault) => ({
      ...vault,
      async quarantine({ tokens, mostInADay }) {
        const { quarantinedInADay } = await vault.countTokens({ limit: 1 })
        const allowed = tokens.slice(0, mostInADay - quarantinedInADay)
        return vault.quarantine({ tokens: allowed, mostInADay })
      },
    })),
  ],
  [
    'counts before it waits for the other callers',
    'PV-66',
    plainly((vault) => ({
      ...vault,
      async quarantine({ tokens, mostInADay }) {
        const { quarantinedInADay } = await vault.countTokens({ limit: 1 })
        return quarantinedInADay + tokens.length > mostInADay ? null : vault.quarantine({ tokens, mostInADay: 100 })
      },
    })),
  ],
  [
    'counts beyond the limit',
    'PV-67',
    plainly((vault) => ({ ...vault, countTokens: () => vault.countTokens({ limit: 1_000 }) })),
  ],
  [
    'counts all that are in quarantine as of today',
    'PV-67',
    plainly((vault) => ({
      ...vault,
      countTokens: async (request) => ({
        ...(await vault.countTokens(request)),
        quarantinedInADay: (await vault.listQuarantined({ ageMs: -1, limit: 100 })).length,
      }),
    })),
  ],
  [
    'overlooks tokens in quarantine when it erases an owner',
    'PV-68',
    plainly((vault) => ({
      ...vault,
      async eraseOwner(owner) {
        const held = await vault.listQuarantined({ ageMs: -1, limit: 100 })
        return (await vault.eraseOwner(owner)) - held.length
      },
    })),
  ],
  [
    'keeps quarantine in the handle',
    'PV-69',
    plainly((vault) => {
      const held = new Map<Token, OwnedToken>()
      return {
        ...vault,
        async quarantine({ tokens }) {
          for (const owned of tokens) held.set(owned.token, owned)
          return tokens.length
        },
        listQuarantined: async () => [...held.values()],
        inspect: async (owner, tokens) =>
          (await vault.inspect(owner, tokens)).map((fact) => (fact === null || held.has(fact.token) ? null : fact)),
      }
    }),
  ],
  [
    'answers facts without asking for quarantine where a submission is taken',
    'PV-70',
    plainly((vault) => ({
      ...vault,
      async inspect(owner, tokens) {
        const held = await vault.listQuarantined({ ageMs: -1, limit: 100 })
        await vault.restore(held)
        const facts = await vault.inspect(owner, tokens)
        await vault.quarantine({ tokens: held, mostInADay: 100 })
        return facts
      },
    })),
  ],
  [
    'changes a token whoever is named as its owner',
    'PV-71',
    plainly((vault) => {
      const ownersOf = async (tokens: readonly OwnedToken[]) => {
        const all = [
          ...(await vault.listOlderThan({ ageMs: -1, limit: 100 })),
          ...(await vault.listQuarantined({ ageMs: -1, limit: 100 })),
        ]
        return all.filter(({ token }) => tokens.some((asked) => asked.token === token))
      }
      return { ...vault, restore: async (tokens) => vault.restore(await ownersOf(tokens)) }
    }),
  ],
  [
    'does not audit an opened part',
    'PV-43',
    plainly((vault) => ({
      ...vault,
      openRecord: (request) => vault.openRecord({ ...request, actor: '', purpose: '' }),
    })),
  ],
  [
    'audits an inspection as a reveal',
    'PV-43',
    plainly((vault) => ({
      ...vault,
      async inspect(owner, tokens) {
        for (const token of tokens)
          await vault.reveal({ owner, token: token as Token, actor: '', purpose: '' }).catch(() => '')
        return vault.inspect(owner, tokens)
      },
    })),
  ],
  [
    'reveals without audit when the audit fails',
    'PV-44',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        answers.forEach((answer, index) => answer.kind === 'ssn' && memory.set(answer.token, values[index]?.value))
        return answers
      },
      reveal: (request) =>
        vault.reveal(request).catch((error: unknown) => {
          if (error instanceof KycError && error.code === 'VAULT_UNAVAILABLE')
            return memory.get(request.token) as string
          throw error
        }),
    })),
  ],
  [
    're-wraps all keys at once',
    'PV-50',
    plainly((vault) => ({ ...vault, rewrapDataKeys: () => vault.rewrapDataKeys({ limit: 1000 }) })),
  ],
  [
    'only says that it re-wrapped',
    'PV-50',
    remembering((memory) => (vault) => ({
      ...vault,
      async rewrapDataKeys({ limit }) {
        const left = Number(memory.get('left') ?? 5)
        const rewrapped = Math.min(limit, left)
        memory.set('left', left - rewrapped)
        return { rewrapped, remaining: left - rewrapped }
      },
    })),
  ],
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
  it.each(WRONG)('%s is caught by %s', async (_what, caughtBy, make) => {
    expect(await failingCases(make, [caughtBy])).toEqual([caughtBy])
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
