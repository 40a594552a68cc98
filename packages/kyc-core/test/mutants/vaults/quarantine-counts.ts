import type { OwnedToken, Token } from '@kyc-relay/kyc-core'
import type { TokenFacts } from '@kyc-relay/kyc-core/internal'
import { nameOf, plainly, tick, type WrongVault } from './wrong-vault.js'

/** Vaults that are wrong about the counts and the owners of quarantine. */
export const vaultsWrongAboutCounts: readonly WrongVault[] = [
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
    'counts those that enter before it waits for the other callers',
    'PV-66',
    plainly((vault, { data }) => ({
      ...vault,
      async quarantine({ tokens, mostInADay }) {
        const { quarantinedInADay } = await vault.countTokens({ limit: 1 })
        const asked = new Set(tokens.map((owned) => `${nameOf(owned)} ${owned.token}`))
        const entering = data.rows.filter((row) => {
          return row.quarantinedAtMs === null && asked.has(`${nameOf(row)} ${row.token}`)
        })
        await tick()
        return quarantinedInADay + entering.length > mostInADay ? null : vault.quarantine({ tokens, mostInADay: 100 })
      },
    })),
  ],
  [
    'counts the time in quarantine from its own start',
    'PV-69',
    plainly((vault, { now }) => {
      const startedAtMs = now().getTime()
      return {
        ...vault,
        listQuarantined: async (request) =>
          now().getTime() - startedAtMs > request.ageMs ? vault.listQuarantined(request) : [],
      }
    }),
  ],
  [
    'remembers the facts that it told',
    'PV-70',
    plainly((vault) => {
      const told = new Map<string, TokenFacts>()
      return {
        ...vault,
        async inspect(owner, tokens) {
          const facts = await vault.inspect(owner, tokens)
          return facts.map((fact, n) => {
            const key = `${nameOf(owner)} ${tokens[n]}`
            if (fact) told.set(key, fact)
            return told.get(key) ?? null
          })
        },
        eraseOwner(owner) {
          told.clear()
          return vault.eraseOwner(owner)
        },
      }
    }),
  ],
]
