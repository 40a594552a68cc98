import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import type { BodyPlace, BodySealer } from '../sealing/body-sealer.js'

/** One handle on a harness's keys. */
export interface BodySealerHandle {
  readonly sealer: BodySealer
  /** Destroys the key of a user of an app. */
  eraseOwner(owner: { readonly appId: string; readonly userId: string }): Promise<void>
  /** Closes only this handle. */
  close(): Promise<void>
}

/** What a backend provides. Every case gets a fresh harness without keys. */
export interface BodySealerHarness {
  /** Opens a handle. A second call opens another one on the same keys, like another process. */
  open(): Promise<BodySealerHandle>
  /** Advances the time for every handle. */
  advance(ms: number): Promise<void>
}

/** One rule of the {@link BodySealer} port. `run` rejects when the sealer breaks it. */
export interface BodySealerCase {
  /** Stable, `BS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  run(harness: BodySealerHarness): Promise<void>
}

interface Use {
  readonly one: BodySealerHandle
  readonly other: BodySealerHandle
  advance(ms: number): Promise<void>
}

function sealerCase(id: string, name: string, run: (use: Use) => Promise<void>): BodySealerCase {
  return {
    id,
    name,
    async run(harness) {
      const [one, other] = [await harness.open(), await harness.open()]
      try {
        await run({ one, other, advance: (ms) => harness.advance(ms) })
      } finally {
        await one.close()
        await other.close()
      }
    },
  }
}

const appId = '0a000000-0000-4000-8000-00000000000a'
const ann = { appId, userId: '01000000-0000-4000-8000-000000000001' }
const ben = { appId, userId: '02000000-0000-4000-8000-000000000002' }
const annElsewhere = { appId: '0b000000-0000-4000-8000-00000000000b', userId: ann.userId }
const placeOf = (owner: typeof ann, name: string, part: BodyPlace['part'] = 'event'): BodyPlace => ({
  ...owner,
  part,
  recordId: `${name}-0000-4000-8000-000000000009`,
})
const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const textBytes = (text: string) => new TextEncoder().encode(text)

async function sealOne(sealer: BodySealer, place: BodyPlace, clear: Uint8Array): Promise<Uint8Array> {
  const [sealed] = await sealer.seal([{ ...place, clear }])
  ok(sealed, 'one value gives one result')
  return sealed
}

/** Opens one value: its bytes, null for a destroyed key, or `refused`. */
async function openOne(sealer: BodySealer, place: BodyPlace, sealed: Uint8Array): Promise<number[] | null | 'refused'> {
  try {
    const [clear] = await sealer.open([{ ...place, sealed }])
    return clear ? [...clear] : null
  } catch {
    return 'refused'
  }
}

/** Looks for bytes in other bytes. */
function holds(bytes: Uint8Array, part: Uint8Array): boolean {
  return bytes.some((_, at) => part.every((byte, index) => bytes[at + index] === byte))
}

/**
 * Lists the rules of the `BodySealer` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { bodySealerCases } from '@kyc-relay/webhooks/testing'
 *
 * type Harness = Parameters<(typeof bodySealerCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness): Promise<void> {
 *   for (const { run } of bodySealerCases) await run(newHarness())
 * }
 * ```
 */
export const bodySealerCases: readonly BodySealerCase[] = [
  sealerCase('BS-01', 'MUST open exactly the sealed bytes, in another process too', async ({ one, other }) => {
    for (const clear of [everyByte, textBytes('{}')]) {
      const place = placeOf(ann, 'a0000001')
      const sealed = await sealOne(one.sealer, place, clear)
      deepEqual(await openOne(one.sealer, place, sealed), [...clear])
      deepEqual(await openOne(other.sealer, place, sealed), [...clear])
    }
  }),
  sealerCase('BS-02', 'MUST answer values of several owners in the order of the request', async ({ one }) => {
    const places = [placeOf(ann, 'a'), placeOf(ben, 'b'), placeOf(annElsewhere, 'c'), placeOf(ann, 'd', 'transaction')]
    const sealed = await one.sealer.seal(places.map((place, at) => ({ ...place, clear: Uint8Array.of(at) })))
    const values = places.map((place, at) => ({ ...place, sealed: sealed[at] ?? new Uint8Array() }))
    const opened = await one.sealer.open(values.toReversed())
    deepEqual(
      opened.map((clear) => clear && [...clear]),
      [[3], [2], [1], [0]],
    )
    deepEqual(await one.sealer.open([]), [])
    deepEqual(await one.sealer.seal([]), [])
  }),
  sealerCase('BS-03', 'MUST hide the bytes, and seal equal bytes differently', async ({ one }) => {
    const clear = textBytes('{"note":"canary-of-the-sealer"}')
    const place = placeOf(ann, 'a')
    const [first, second] = [await sealOne(one.sealer, place, clear), await sealOne(one.sealer, place, clear)]
    equal(holds(first, textBytes('canary')), false)
    notDeepEqual([...first], [...second])
  }),
  sealerCase('BS-04', 'MUST open bytes at their own place only', async ({ one }) => {
    const place = placeOf(ann, 'a')
    const sealed = await sealOne(one.sealer, place, everyByte)
    // Every owner has a key.
    for (const owner of [ben, annElsewhere]) await sealOne(one.sealer, placeOf(owner, 'a'), everyByte)
    const others = [placeOf(ben, 'a'), placeOf(annElsewhere, 'a'), placeOf(ann, 'b'), placeOf(ann, 'a', 'transaction')]
    for (const other of others) notDeepEqual(await openOne(one.sealer, other, sealed), [...everyByte])
  }),
  sealerCase('BS-05', 'MUST refuse changed bytes', async ({ one }) => {
    const place = placeOf(ann, 'a')
    const sealed = await sealOne(one.sealer, place, everyByte)
    for (const at of [sealed.length - 1, sealed.length >> 1]) {
      const changed = sealed.slice()
      changed[at] = (changed[at] ?? 0) ^ 1
      equal(await openOne(one.sealer, place, changed), 'refused')
    }
    equal(await openOne(one.sealer, place, sealed.slice(0, sealed.length - 1)), 'refused')
  }),
  sealerCase('BS-06', 'MUST open nothing under a destroyed key, and everything of others', async ({ one }) => {
    const [gone, left] = [placeOf(ann, 'a'), placeOf(ben, 'b')]
    const sealed = await one.sealer.seal([gone, left].map((place) => ({ ...place, clear: everyByte })))
    await one.eraseOwner(ann)
    const values = [gone, left].map((place, at) => ({ ...place, sealed: sealed[at] ?? new Uint8Array() }))
    const opened = await one.sealer.open(values)
    deepEqual(
      opened.map((clear) => clear && [...clear]),
      [null, [...everyByte]],
    )
  }),
  sealerCase(
    'BS-07',
    'MUST seal for an erased user under a new key, which opens nothing older',
    async ({ one, other }) => {
      const place = placeOf(ann, 'a')
      const former = await sealOne(one.sealer, place, everyByte)
      await one.eraseOwner(ann)
      const later = await sealOne(one.sealer, place, everyByte)
      for (const { sealer } of [one, other]) {
        deepEqual(await openOne(sealer, place, later), [...everyByte])
        equal(await openOne(sealer, place, former), null)
      }
    },
  ),
  sealerCase('BS-08', 'MUST open what another process sealed after an erasure', async ({ one, other }) => {
    const place = placeOf(ann, 'a')
    const former = await sealOne(one.sealer, place, everyByte)
    // The other process knows the key by now.
    await openOne(other.sealer, place, former)
    await one.eraseOwner(ann)
    const later = await sealOne(one.sealer, place, everyByte)
    deepEqual(await openOne(other.sealer, place, later), [...everyByte])
  }),
  sealerCase(
    'BS-09',
    'MUST use a destroyed key for at most 60 s in another process',
    async ({ one, other, advance }) => {
      const place = placeOf(ann, 'a')
      const sealed = await sealOne(one.sealer, place, everyByte)
      await openOne(other.sealer, place, sealed)
      await advance(30_000)
      // Use does not prolong the time.
      await openOne(other.sealer, place, sealed)
      await one.eraseOwner(ann)
      await advance(30_000)
      equal(await openOne(other.sealer, place, sealed), null)
      const later = await sealOne(other.sealer, place, everyByte)
      deepEqual(await openOne(one.sealer, place, later), [...everyByte])
    },
  ),
  sealerCase('BS-10', 'MUST make one key of racing first values', async ({ one, other }) => {
    const places = Array.from({ length: 8 }, (_, at) => placeOf(ann, `race${at}`))
    const sealed = await Promise.all(
      places.map((place, at) => sealOne((at % 2 ? one : other).sealer, place, everyByte)),
    )
    for (const [at, place] of places.entries()) {
      deepEqual(await openOne(one.sealer, place, sealed[at] ?? new Uint8Array()), [...everyByte])
    }
  }),
]
