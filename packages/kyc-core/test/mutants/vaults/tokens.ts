import type { AppUser, Token, TokenizedValue } from '@kyc-relay/kyc-core'
import { parseToken } from '@kyc-relay/kyc-core/internal'
import { crossing, nameOf, plainly, remembering, tokensOf, type WrongVault } from './wrong-vault.js'

/** Vaults that are wrong about tokens. */
export const vaultsWrongAboutTokens: readonly WrongVault[] = [
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
    'gives equal values of one call one token',
    'PV-02',
    plainly((vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        const texts = values.map((value) => JSON.stringify(value))
        return answers.map((answer, n) =>
          answer.kind === 'record' ? answer : (answers[texts.indexOf(texts[n] ?? '')] ?? answer),
        )
      },
    })),
  ],
  [
    'finds an SSN by its last four digits',
    'PV-05',
    remembering((memory) => (vault) => {
      const nameFor = (owner: AppUser, token: string) => `${nameOf(owner)} ${token.slice(-4)}`
      return {
        ...vault,
        async tokenize(owner, values) {
          const answers = await vault.tokenize(owner, values)
          answers.forEach((answer, n) => {
            if (answer.kind === 'ssn') memory.set(nameFor(owner, answer.token), values[n]?.value)
          })
          return answers
        },
        async reveal(request) {
          await vault.reveal(request)
          return memory.get(nameFor(request.owner, request.token)) as string
        },
      }
    }),
  ],
  [
    'keeps a document number that looks like an SSN',
    'PV-06',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        answers.forEach((answer, n) => {
          const { value = '' } = values[n] ?? {}
          if (answer.kind === 'document_number' && /^\d{9}$/.test(value)) memory.set(answer.token, value)
        })
        return answers
      },
      reveal: async (request) => (memory.get(request.token) as string | undefined) ?? vault.reveal(request),
    })),
  ],
  [
    'answers racing calls for one owner in another order',
    'PV-10',
    remembering((memory) => (vault) => ({
      ...vault,
      tokenize(owner, values) {
        if (values.some(({ kind }) => kind !== 'ssn')) return vault.tokenize(owner, values)
        if (!memory.has(nameOf(owner))) memory.set(nameOf(owner), crossing())
        const cross = memory.get(nameOf(owner)) as ReturnType<typeof crossing<readonly TokenizedValue[]>>
        return cross(() => vault.tokenize(owner, values))
      },
    })),
  ],
  [
    'takes the time of its own start for the time of older tokens',
    'PV-11',
    plainly((vault, { now }) => {
      const startedAt = now()
      return {
        ...vault,
        inspect: async (owner, tokens) =>
          (await vault.inspect(owner, tokens)).map(
            (fact) => fact && { ...fact, createdAt: fact.createdAt < startedAt ? startedAt : fact.createdAt },
          ),
      }
    }),
  ],
]
