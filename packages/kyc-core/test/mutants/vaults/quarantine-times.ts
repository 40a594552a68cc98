import { KycError, type OwnedToken } from '@kyc-relay/kyc-core'
import { OWNERS } from '../../../src/testing/vault-values.js'
import { plainly, remembering, type WrongVault } from './wrong-vault.js'

/** A count that counts a token again for each time that it is named again. */
function withRepeated(count: number | null, { tokens }: { readonly tokens: readonly OwnedToken[] }): number | null {
  const repeated = tokens.length - new Set(tokens.map(({ token }) => token)).size
  return count === null || count === 0 ? count : count + repeated
}

/** Vaults that are wrong about who is in quarantine and since when. */
export const vaultsWrongAboutQuarantine: readonly WrongVault[] = [
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
    'counts a token twice that is named twice when it enters quarantine',
    'PV-60',
    plainly((vault) => ({
      ...vault,
      quarantine: async (request) => withRepeated(await vault.quarantine(request), request),
    })),
  ],
  [
    'counts a token twice that is named twice when it is restored',
    'PV-61',
    plainly((vault) => ({
      ...vault,
      restore: async (tokens) => withRepeated(await vault.restore(tokens), { tokens }) ?? 0,
    })),
  ],
  [
    'destroys tokens of exactly the age',
    'PV-63',
    plainly((vault) => ({
      ...vault,
      destroyQuarantined: ({ tokens, ageMs }) => vault.destroyQuarantined({ tokens, ageMs: ageMs - 1 }),
    })),
  ],
]
