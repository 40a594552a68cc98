import { describe, expect, test } from 'vitest'
import type { BodyPlace, BodySealer } from '../../src/sealing/body-sealer.js'
import type { BodySealerHarness } from '../../src/testing/body-sealer-cases.js'
import { createMemoryBodySealer, type MemoryBodySealer } from '../../src/testing/memory-body-sealer.js'
import { bodySealerCases } from '../../src/testing/index.js'

type Owner = Pick<BodyPlace, 'appId' | 'userId'>
type Sealed = BodyPlace & { readonly sealed: Uint8Array }

/** What wrong sealers of one harness know beside their keys. */
interface Memory {
  now(): number
  /** How often the user's key was destroyed. */
  readonly erasures: (owner: Owner) => number
  /** What these bytes hold, and how often the user's key had been destroyed before they were sealed. */
  readonly find: (sealed: Uint8Array) => { readonly clear: Uint8Array; readonly erasures: number } | undefined
  /** Whether the user has a key. */
  readonly hasKey: (owner: Owner) => boolean
  /** Each kind of mistake keeps its own notes here, over all handles. */
  readonly notes: Map<string, Uint8Array>
}
/** Spoils one handle. */
type Spoil = (sealer: MemoryBodySealer, memory: Memory) => Partial<MemoryBodySealer>

const nameOf = ({ appId, userId }: Owner) => JSON.stringify([appId, userId])
const maxAgeMs = 60_000

/** Opens values one by one, so that one that is refused spoils no other. */
const openEach = (values: readonly Sealed[], open: (value: Sealed) => Promise<Uint8Array | null>) =>
  Promise.all(values.map(open))
const openWith = (sealer: BodySealer) => async (value: Sealed) => (await sealer.open([value]))[0] ?? null

/** Keeps what a handle opened for 60 s after `isFresh` last held, as a handle may keep a key. */
const keepingKeys =
  (prolongs: boolean): Spoil =>
  (sealer, { now, find }) => {
    const kept = new Map<string, number>()
    return {
      open: (values) =>
        openEach(values, async (value) => {
          const name = `${nameOf(value)} ${find(value.sealed)?.erasures}`
          const usedAtMs = kept.get(name)
          const clear = await openWith(sealer)(value)
          if (usedAtMs !== undefined && now() - usedAtMs < maxAgeMs) {
            if (prolongs) kept.set(name, now())
            return clear ?? find(value.sealed)?.clear ?? null
          }
          if (clear) kept.set(name, now())
          return clear
        }),
      eraseOwner(owner) {
        kept.clear()
        sealer.eraseOwner(owner)
      },
    }
  }

function newHarness(spoil: Spoil): BodySealerHarness {
  const sealer = createMemoryBodySealer()
  const contents = new Map<string, { clear: Uint8Array; erasures: number }>()
  const erasures = new Map<string, number>()
  const withKey = new Set<string>()
  let nowMs = 0
  const memory: Memory = {
    now: () => nowMs,
    erasures: (owner) => erasures.get(nameOf(owner)) ?? 0,
    find: (sealed) => contents.get(String(sealed)),
    hasKey: (owner) => withKey.has(nameOf(owner)),
    notes: new Map(),
  }
  const noting: MemoryBodySealer = {
    ...sealer,
    async seal(values) {
      const sealed = await sealer.seal(values)
      for (const [at, value] of values.entries()) {
        contents.set(String(sealed[at]), { clear: value.clear, erasures: memory.erasures(value) })
        withKey.add(nameOf(value))
      }
      return sealed
    },
    eraseOwner(owner) {
      erasures.set(nameOf(owner), memory.erasures(owner) + 1)
      withKey.delete(nameOf(owner))
      sealer.eraseOwner(owner)
    },
  }
  return {
    open: async () => {
      const wrong = { ...noting, ...spoil(noting, memory) }
      return { sealer: wrong, eraseOwner: async (owner) => wrong.eraseOwner(owner), close: async () => {} }
    },
    advance: async (ms) => void (nowMs += ms),
  }
}

const bound = (part: (value: BodyPlace) => Partial<BodyPlace>): Spoil => {
  return (sealer) => ({
    seal: (values) => sealer.seal(values.map((value) => ({ ...value, ...part(value) }))),
    open: (values) => sealer.open(values.map((value) => ({ ...value, ...part(value) }))),
  })
}

/** One mistake each, and a case that notices. */
const wrongSealers: readonly (readonly [what: string, caughtBy: string, spoil: Spoil])[] = [
  [
    'takes an empty object for no value',
    'BS-01',
    (sealer) => ({
      open: (values) =>
        openEach(values, async (value) => {
          const clear = await openWith(sealer)(value)
          return clear && new TextDecoder().decode(clear) === '{}' ? new Uint8Array() : clear
        }),
    }),
  ],
  [
    'answers in another order',
    'BS-02',
    (sealer) => ({ open: async (values) => (await sealer.open(values)).toReversed() }),
  ],
  [
    'answers user by user',
    'BS-02',
    (sealer) => ({
      async open(values) {
        const users = [...new Set(values.map(nameOf))]
        const byUser = users.map((user) => values.filter((value) => nameOf(value) === user))
        return (await Promise.all(byUser.map((mine) => sealer.open(mine)))).flat()
      },
    }),
  ],
  [
    'seals nothing',
    'BS-03',
    () => ({
      seal: async (values) => values.map(({ clear }) => clear),
      open: async (values) => values.map(({ sealed }) => sealed),
    }),
  ],
  [
    'seals equal bytes of one place equally',
    'BS-03',
    (sealer, { notes, erasures }) => ({
      async seal(values) {
        const fresh = await sealer.seal(values)
        return values.map((value, at) => {
          const { clear, ...place } = value
          const key = JSON.stringify([place, [...clear], erasures(value)])
          const sealed = notes.get(key) ?? fresh[at]!
          notes.set(key, sealed)
          return sealed
        })
      },
    }),
  ],
  ['binds bytes to no place', 'BS-04', bound(() => ({ appId: 'a', userId: 'u', part: 'event', recordId: 'r' }))],
  ['binds bytes to no app', 'BS-04', bound(() => ({ appId: 'a' }))],
  ['binds bytes to no part', 'BS-04', bound(() => ({ part: 'event' }))],
  ['binds bytes to no record', 'BS-04', bound(() => ({ recordId: 'r' }))],
  [
    'tells damaged bytes as erased',
    'BS-05',
    (sealer) => ({ open: (values) => openEach(values, (value) => openWith(sealer)(value).catch(() => null)) }),
  ],
  ['keeps destroyed keys', 'BS-06', () => ({ eraseOwner: () => {} })],
  [
    'refuses all for one erased user',
    'BS-06',
    (sealer) => ({
      async open(values) {
        const opened = await sealer.open(values)
        return opened.includes(null) ? values.map(() => null) : opened
      },
    }),
  ],
  [
    'tells bytes under a former key as damaged once there is a new one',
    'BS-07',
    (sealer, { erasures, find, hasKey }) => ({
      open: (values) =>
        openEach(values, async (value) => {
          const isFormer = (find(value.sealed)?.erasures ?? Infinity) < erasures(value)
          if (isFormer && hasKey(value)) throw new Error('The bytes cannot be opened.')
          return openWith(sealer)(value)
        }),
    }),
  ],
  [
    'finds a destroyed key again beside the new one',
    'BS-07',
    (sealer, { find, hasKey }) => ({
      open: (values) =>
        openEach(values, async (value) => {
          const clear = await openWith(sealer)(value)
          return clear ?? (hasKey(value) ? (find(value.sealed)?.clear ?? null) : null)
        }),
    }),
  ],
  [
    'asks for no newer key while it keeps one',
    'BS-08',
    (sealer, { now, find }) => {
      const kept = new Map<string, { erasures: number; atMs: number }>()
      return {
        open: (values) =>
          openEach(values, async (value) => {
            const known = kept.get(nameOf(value))
            const erasures = find(value.sealed)?.erasures ?? 0
            const isKept = known !== undefined && now() - known.atMs < maxAgeMs
            if (isKept && known.erasures !== erasures) return null
            if (!isKept) kept.set(nameOf(value), { erasures, atMs: now() })
            return openWith(sealer)(value)
          }),
        eraseOwner(owner) {
          kept.delete(nameOf(owner))
          sealer.eraseOwner(owner)
        },
      }
    },
  ],
  ['keeps a key for 60 s after each use', 'BS-09', keepingKeys(true)],
  [
    'makes a key for each of two first calls',
    'BS-10',
    (sealer, { hasKey, notes }) => ({
      async seal(values) {
        const isFirst = values.some((value) => !hasKey(value))
        const call = new Uint8Array()
        const sealed = await sealer.seal(values)
        if (!isFirst) return sealed
        for (const [at, value] of values.entries()) {
          notes.set(String(sealed[at]), call)
          // The key of the call that ends last takes the place of the others.
          notes.set(nameOf(value), call)
        }
        return sealed
      },
      open: (values) =>
        openEach(values, async (value) => {
          const call = notes.get(String(value.sealed)) ?? notes.get(nameOf(value))
          return call === notes.get(nameOf(value)) ? openWith(sealer)(value) : null
        }),
    }),
  ],
]

async function failingCases(spoil: Spoil): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of bodySealerCases) await run(newHarness(spoil)).catch(() => failing.push(id))
  return failing
}

describe('the cases of body sealers', () => {
  test.each(bodySealerCases)('the sealer in memory: $id $name', ({ run }) => run(newHarness(() => ({}))))

  test('pass a sealer that keeps keys for 60 s', async () => {
    expect(await failingCases(keepingKeys(false))).toEqual([])
  })

  test.each(wrongSealers)('catch a sealer that %s, by %s', async (_what, caughtBy, spoil) => {
    expect(await failingCases(spoil)).toContain(caughtBy)
  })

  test('catch one wrong sealer each that no other case catches', async () => {
    const alone = new Set<string>()
    for (const [, , spoil] of wrongSealers) {
      const [first = '', ...others] = await failingCases(spoil)
      if (others.length === 0) alone.add(first)
    }
    expect([...alone].sort()).toEqual(bodySealerCases.map(({ id }) => id).sort())
  })
})
