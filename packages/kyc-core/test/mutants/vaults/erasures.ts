import { KycError } from '@kyc-relay/kyc-core'
import { nameOf, plainly, remembering, tick, type WrongVault } from './wrong-vault.js'

/** Vaults that are wrong about erasures. */
export const vaultsWrongAboutErasures: readonly WrongVault[] = [
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
    'destroys the key of an owner again after others made a new one',
    'PV-34',
    plainly((vault, { data }) => ({
      ...vault,
      async eraseOwner(owner) {
        const erased = await vault.eraseOwner(owner)
        await tick()
        data.dataKeys.delete(nameOf(owner))
        return erased
      },
    })),
  ],
]
