import { KycError, type AppUser, type Token } from '@kyc-relay/kyc-core'
import { nameOf, plainly, remembering, tokensOf, type WrongVault } from './wrong-vault.js'

/** Vaults that are wrong about what they store, their audit and their keys. */
export const vaultsWrongAboutStorage: readonly WrongVault[] = [
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
  [
    'stores a document number in the place of its hash',
    'PV-40',
    plainly((vault, { data }) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        answers.forEach((answer, n) => {
          if (answer.kind !== 'document_number') return
          const at = data.rows.findIndex(({ token }) => token === answer.token)
          const row = data.rows[at]!
          data.rows[at] = { ...row, fingerprint: new TextEncoder().encode(values[n]?.value) }
        })
        return answers
      },
    })),
  ],
  [
    'seals document numbers too, and reveals none',
    'PV-41',
    plainly((vault, { data }) => {
      const numberOf = (owner: AppUser, asked: string) =>
        data.rows.find(({ token, field, ...row }) => {
          return token === asked && field === 'document_number' && nameOf(row) === nameOf(owner)
        })
      return {
        ...vault,
        async tokenize(owner, values) {
          const answers = await vault.tokenize(owner, values)
          for (const token of tokensOf(answers)) {
            const row = numberOf(owner, token)
            if (row) row.sealed = new Uint8Array(40)
          }
          return answers
        },
        async reveal(request) {
          if (numberOf(request.owner, request.token)) throw new KycError('NOT_REVEALABLE')
          return vault.reveal(request)
        },
      }
    }),
  ],
  [
    'binds an SSN to its owner and to no row',
    'PV-42',
    remembering((memory) => (vault, { data }) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        answers.forEach((answer, n) => {
          const row = data.rows.find(({ token }) => answer.kind === 'ssn' && token === answer.token)
          if (row) memory.set(`${nameOf(owner)} ${String(row.sealed)}`, values[n]?.value)
        })
        return answers
      },
      reveal: (request) =>
        vault.reveal(request).catch((error: unknown) => {
          const row = data.rows.find(({ token }) => token === request.token)
          const value = memory.get(`${nameOf(request.owner)} ${String(row?.sealed)}`)
          if (error instanceof KycError && error.code === 'SEAL_BROKEN' && value !== undefined) return value as string
          throw error
        }),
    })),
  ],
  [
    'fingerprints under the wrapping key of the day',
    'PV-51',
    plainly((vault, { cipher }) => ({
      ...vault,
      fingerprint: async (purpose, value) => vault.fingerprint(purpose, `${await cipher.currentKeyId()} ${value}`),
    })),
  ],
]
