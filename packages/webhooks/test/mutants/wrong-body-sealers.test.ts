import { describe, expect, test } from 'vitest'
import type { BodySealer } from '../../src/delivery/index.js'
import type { BodySealerHarness } from '../../src/testing/body-sealer-cases.js'
import { createMemoryBodySealer } from '../../src/testing/memory-body-sealer.js'
import { bodySealerCases } from '../../src/testing/index.js'

type Owner = { readonly appId: string; readonly userId: string }

function newHarness(spoil: (sealer: BodySealer) => Partial<BodySealer & { forget(owner: Owner): void }>) {
  const sealer = createMemoryBodySealer()
  const wrong = { ...sealer, ...spoil(sealer) }
  const harness: BodySealerHarness = {
    open: async () => ({
      sealer: wrong,
      eraseOwner: async (owner) => void ('forget' in wrong ? wrong.forget?.(owner) : sealer.eraseOwner(owner)),
      close: async () => {},
    }),
    advance: async () => {},
  }
  return harness
}

test.each(bodySealerCases)('the sealer in memory: $id $name', ({ run }) => run(newHarness(() => ({}))))

const elsewhere = { appId: 'a', userId: 'u', part: 'event', recordId: 'r' } as const

/** One broken promise each. */
const wrongSealers: readonly {
  readonly what: string
  readonly caughtBy: string
  spoil(sealer: BodySealer): Partial<BodySealer & { forget(owner: Owner): void }>
}[] = [
  {
    what: 'seals nothing',
    caughtBy: 'BS-03',
    spoil: () => ({
      seal: async (values) => values.map(({ clear }) => clear),
      open: async (values) => values.map(({ sealed }) => sealed),
    }),
  },
  {
    what: 'answers in another order',
    caughtBy: 'BS-02',
    spoil: (sealer) => ({ open: async (values) => (await sealer.open(values)).toReversed() }),
  },
  {
    what: 'binds bytes to no place',
    caughtBy: 'BS-04',
    spoil: (sealer) => ({
      seal: (values) => sealer.seal(values.map(({ clear }) => ({ ...elsewhere, clear }))),
      open: (values) => sealer.open(values.map(({ sealed }) => ({ ...elsewhere, sealed }))),
    }),
  },
  {
    what: 'binds bytes to no record',
    caughtBy: 'BS-04',
    spoil: (sealer) => ({
      seal: (values) => sealer.seal(values.map((value) => ({ ...value, recordId: 'r' }))),
      open: (values) => sealer.open(values.map((value) => ({ ...value, recordId: 'r' }))),
    }),
  },
  {
    what: 'tells damaged bytes as erased',
    caughtBy: 'BS-05',
    spoil: (sealer) => ({
      open: (values) =>
        Promise.all(
          values.map((one) =>
            sealer.open([one]).then(
              ([clear]) => clear ?? null,
              () => null,
            ),
          ),
        ),
    }),
  },
  { what: 'keeps destroyed keys', caughtBy: 'BS-06', spoil: () => ({ forget: () => {} }) },
  {
    what: 'refuses all for one erased user',
    caughtBy: 'BS-06',
    spoil: (sealer) => ({
      async open(values) {
        const opened = await sealer.open(values)
        return opened.includes(null) ? values.map(() => null) : opened
      },
    }),
  },
]

describe.each(wrongSealers)('a sealer that $what', ({ caughtBy, spoil }) => {
  test(`breaks ${caughtBy}`, async () => {
    const found = bodySealerCases.find(({ id }) => id === caughtBy)
    await expect(found?.run(newHarness(spoil))).rejects.toThrow()
  })
})
