import { KycError, type TokenizedValue } from '@kyc-relay/kyc-core'
import { crossing, nameOf, plainly, remembering, type WrongVault } from './wrong-vault.js'

/** Vaults that are wrong about sealed parts. */
export const vaultsWrongAboutSealing: readonly WrongVault[] = [
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
    'seals one text of an owner in one way',
    'PV-23',
    remembering((memory) => (vault) => ({
      ...vault,
      async tokenize(owner, values) {
        const answers = await vault.tokenize(owner, values)
        return answers.map((answer, n) => {
          if (answer.kind !== 'record') return answer
          const key = JSON.stringify([owner, values[n]])
          if (!memory.has(key)) memory.set(key, answer)
          return memory.get(key) as TokenizedValue
        })
      },
    })),
  ],
  [
    'puts the begin of a text before its sealed bytes, to search for it',
    'PV-24',
    plainly((vault) => {
      const beginOf = (text: string) => new TextEncoder().encode(text.slice(0, 24).padEnd(24)).slice(0, 24)
      return {
        ...vault,
        tokenize: async (owner, values) =>
          (await vault.tokenize(owner, values)).map((answer, n) => {
            if (answer.kind !== 'record') return answer
            return { ...answer, sealed: new Uint8Array([...beginOf(values[n]?.value ?? ''), ...answer.sealed]) }
          }),
        async openRecord(request) {
          const clear = await vault.openRecord({ ...request, sealed: request.sealed.slice(24) })
          if (String(beginOf(clear)) !== String(request.sealed.slice(0, 24))) throw new KycError('SEAL_BROKEN')
          return clear
        },
      }
    }),
  ],
  [
    'gives racing callers of one owner the sealed bytes of each other',
    'PV-26',
    remembering((memory) => (vault) => ({
      ...vault,
      tokenize(owner, values) {
        if (values.some(({ kind }) => kind !== 'record')) return vault.tokenize(owner, values)
        if (!memory.has(nameOf(owner))) memory.set(nameOf(owner), crossing())
        const cross = memory.get(nameOf(owner)) as ReturnType<typeof crossing<readonly TokenizedValue[]>>
        return cross(() => vault.tokenize(owner, values))
      },
    })),
  ],
]
