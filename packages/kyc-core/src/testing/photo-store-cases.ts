import type { PhotoAddress, PhotoStore } from '../photos/photo-store.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import { USERS, uuid } from './verification-submissions.js'

/** What a backend provides. Every case gets a fresh harness on an empty store. */
export interface PhotoStoreHarness {
  /** Opens a handle on the store. A second call opens another one, like another process. */
  open(): Promise<PhotoStore>
  /** Reads names and bytes of all stored photos without the port. */
  readEverything(): Promise<readonly { readonly name: string; readonly bytes: Uint8Array }[]>
}

const { maria, jonas } = USERS
const mariaElsewhere = { appId: USERS.other.appId, userId: maria.userId }

const at = (number: number, owner: PhotoAddress['owner'] = maria): PhotoAddress => ({
  owner,
  photoJobId: uuid(5000 + number),
})

/** Creates bytes with a different value at each position. */
function someBytes(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let index = 0; index < length; index++) bytes[index] = index * 31 + seed
  return bytes
}

/**
 * Lists the rules of the {@link PhotoStore} port as cases for any test runner.
 *
 * @example
 * ```ts
 * import { photoStoreCases } from '@kyc-relay/kyc-core/testing'
 *
 * type Harness = Parameters<(typeof photoStoreCases)[number]['run']>[0]
 * async function check(newHarness: () => Harness): Promise<void> {
 *   for (const each of photoStoreCases) await each.run(newHarness()) // or it(each.name, () => …)
 * }
 * ```
 */
export const photoStoreCases: readonly ConformanceCase<PhotoStoreHarness>[] = [
  {
    id: 'PS-01',
    name: 'MUST return the stored bytes exactly, in another handle too, and null for an unknown photo',
    async run(harness) {
      const store = await harness.open()
      const all = [someBytes(256, 0), someBytes(1, 9), someBytes(3_000_000, 4)]
      for (const [index, bytes] of all.entries()) await store.put(at(index), bytes)
      const other = await harness.open()
      for (const [index, bytes] of all.entries()) assertEqual(await other.get(at(index)), bytes, 'the bytes')
      assertEqual(await other.get(at(99)), null, 'nothing was put there')
    },
  },
  {
    id: 'PS-02',
    name: 'MUST replace stored bytes, also by fewer bytes',
    async run(harness) {
      const store = await harness.open()
      await store.put(at(1), someBytes(1_000, 1))
      await store.put(at(1), someBytes(10, 2))
      assertEqual(await store.get(at(1)), someBytes(10, 2), 'the new bytes')
      assertEqual((await harness.readEverything()).length, 1, 'and nothing beside them')
    },
  },
  {
    id: 'PS-03',
    name: 'MUST give readers the former bytes or the new ones while they are replaced, never a mixture',
    async run(harness) {
      const [writer, reader] = [await harness.open(), await harness.open()]
      const versions = [someBytes(400_000, 1), someBytes(500_000, 2)] as const
      await writer.put(at(1), versions[0])
      const seen: (Uint8Array | null)[] = []
      for (let round = 0; round < 5; round++) {
        const writing = [writer.put(at(1), versions[1]), reader.put(at(1), versions[0])]
        seen.push(...(await Promise.all([reader.get(at(1)), writer.get(at(1)), reader.get(at(1))])))
        await Promise.all(writing)
      }
      const whole = seen.every((bytes) =>
        versions.some((version) => bytes?.length === version.length && bytes.every((byte, i) => byte === version[i])),
      )
      assertThat(whole, 'every read is one of the two')
    },
  },
  {
    id: 'PS-04',
    name: 'MUST remove the named photos and ignore missing ones',
    async run(harness) {
      const store = await harness.open()
      for (const number of [1, 2, 3]) await store.put(at(number), someBytes(20, number))
      await store.erase(maria, [at(1).photoJobId, uuid(9), at(3).photoJobId])
      await store.erase(maria, [])
      await store.erase(maria, [at(1).photoJobId])
      assertEqual(await store.get(at(1)), null, 'gone')
      assertEqual(await store.get(at(3)), null, 'gone')
      assertEqual(await store.get(at(2)), someBytes(20, 2), 'kept')
      assertEqual((await harness.readEverything()).length, 1, 'nothing else is left')
    },
  },
  {
    id: 'PS-05',
    name: 'MUST separate owners, including the same user of another app',
    async run(harness) {
      const store = await harness.open()
      await store.put(at(1), someBytes(20, 1))
      for (const owner of [jonas, mariaElsewhere]) {
        assertEqual(await store.get(at(1, owner)), null, 'not theirs')
        await store.erase(owner, [at(1).photoJobId])
      }
      assertEqual(await store.get(at(1)), someBytes(20, 1), 'still hers')
    },
  },
  {
    id: 'PS-06',
    name: 'MUST NOT reveal the owner or the photo in a file name',
    async run(harness) {
      const store = await harness.open()
      await store.put(at(1), someBytes(20, 1))
      const kept = await harness.readEverything()
      assertEqual(kept.length, 1, 'one photo is kept')
      for (const id of [maria.appId, maria.userId, at(1).photoJobId]) {
        const spellings = [id, id.replaceAll('-', ''), id.toUpperCase()]
        const shown = kept.some(({ name }) => spellings.some((spelling) => name.includes(spelling)))
        assertThat(!shown, 'no id in a name')
      }
    },
  },
]
