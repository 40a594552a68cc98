import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { PhotoAddress } from '../../src/photos/photo-store.js'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import { photoStoreCases } from '@kyc-relay/kyc-core/testing'

/*
 * Photo stores that are wrong on purpose, each in one way: what the cases do not catch here they would not catch in
 * somebody else's store either.
 */

type Kept = Map<string, Uint8Array>
type Wrong = (store: PhotoStore, kept: Kept) => PhotoStore

const nameOf = ({ owner, photoJobId }: PhotoAddress): string =>
  createHash('sha256')
    .update(JSON.stringify([owner.appId, owner.userId, photoJobId]))
    .digest('hex')

function createStore(kept: Kept): PhotoStore {
  return {
    put: async (address, sealed) => void kept.set(nameOf(address), sealed.slice()),
    get: async (address) => kept.get(nameOf(address)) ?? null,
    erase: async (owner, photoJobIds) => {
      for (const photoJobId of photoJobIds) kept.delete(nameOf({ owner, photoJobId }))
    },
  }
}

/** The store of owners who are one to it when `same` says so. */
const owning =
  (same: (address: PhotoAddress) => PhotoAddress): Wrong =>
  (store) => ({
    put: (address, sealed) => store.put(same(address), sealed),
    get: (address) => store.get(same(address)),
    erase: (owner, ids) => store.erase(same({ owner, photoJobId: '' }).owner, ids),
  })

const WRONG: readonly (readonly [what: string, caughtBy: string, wrong: Wrong])[] = [
  [
    'keeps text',
    'PS-01',
    (store) => ({
      ...store,
      put: (address, sealed) => store.put(address, new TextEncoder().encode(new TextDecoder().decode(sealed))),
    }),
  ],
  [
    'keeps the first 2 MB',
    'PS-01',
    (store) => ({ ...store, put: (address, sealed) => store.put(address, sealed.slice(0, 2_000_000)) }),
  ],
  [
    'answers no bytes for what is not there',
    'PS-01',
    (store) => ({ ...store, get: async (address) => (await store.get(address)) ?? new Uint8Array() }),
  ],
  [
    'writes over what is there and leaves its end',
    'PS-02',
    (store) => ({
      ...store,
      async put(address, sealed) {
        const former = (await store.get(address)) ?? new Uint8Array()
        const bytes = new Uint8Array(Math.max(former.length, sealed.length))
        bytes.set(former)
        bytes.set(sealed)
        await store.put(address, bytes)
      },
    }),
  ],
  [
    'keeps what was replaced',
    'PS-02',
    (store, kept) => ({
      ...store,
      async put(address, sealed) {
        const former = await store.get(address)
        if (former) kept.set(`${nameOf(address)}.old`, former)
        await store.put(address, sealed)
      },
    }),
  ],
  [
    'writes in two steps',
    'PS-03',
    (store) => ({
      ...store,
      async put(address, sealed) {
        await store.put(address, sealed.slice(0, 1_000))
        await new Promise((resolve) => setImmediate(resolve))
        await store.put(address, sealed)
      },
      async get(address) {
        await new Promise((resolve) => setImmediate(resolve))
        return store.get(address)
      },
    }),
  ],
  ['erases nothing', 'PS-04', (store) => ({ ...store, erase: async () => {} })],
  [
    'stops at a photo that is not there',
    'PS-04',
    (store, kept) => ({
      ...store,
      async erase(owner, ids) {
        for (const photoJobId of ids) {
          if (!kept.has(nameOf({ owner, photoJobId }))) return
          await store.erase(owner, [photoJobId])
        }
      },
    }),
  ],
  ['erases everything', 'PS-04', (store, kept) => ({ ...store, erase: async () => kept.clear() })],
  ['knows users and no apps', 'PS-05', owning(({ owner, ...rest }) => ({ ...rest, owner: { ...owner, appId: '' } }))],
  ['knows apps and no users', 'PS-05', owning(({ owner, ...rest }) => ({ ...rest, owner: { ...owner, userId: '' } }))],
  [
    'names a photo after its user',
    'PS-06',
    (_store, kept) => {
      const name = (address: PhotoAddress) => `${address.owner.userId}/${nameOf(address)}`
      return {
        put: async (address, sealed) => void kept.set(name(address), sealed.slice()),
        get: async (address) => kept.get(name(address)) ?? null,
        erase: async (owner, ids) => ids.forEach((photoJobId) => kept.delete(name({ owner, photoJobId }))),
      }
    },
  ],
]

async function failingCases(wrong: Wrong): Promise<string[]> {
  const failing: string[] = []
  for (const each of photoStoreCases) {
    const kept: Kept = new Map()
    const harness = {
      open: async () => wrong(createStore(kept), kept),
      readEverything: async () => [...kept].map(([name, bytes]) => ({ name, bytes })),
    }
    const passes = await each.run(harness).then(
      () => true,
      () => false,
    )
    if (!passes) failing.push(each.id)
  }
  return failing
}

describe('a photo store that', () => {
  it.each(WRONG)('%s is caught by %s', async (_what, caughtBy, wrong) => {
    expect(await failingCases(wrong)).toContain(caughtBy)
  })

  it('is caught by one case alone: there is one for each case', async () => {
    const alone = new Set<string>()
    for (const [, , wrong] of WRONG) {
      const [first = '', ...others] = await failingCases(wrong)
      if (others.length === 0) alone.add(first)
    }
    expect([...alone].sort()).toEqual(photoStoreCases.map(({ id }) => id).sort())
  })

  it('is right is not caught', async () => {
    expect(await failingCases((store) => store)).toEqual([])
  })
})
