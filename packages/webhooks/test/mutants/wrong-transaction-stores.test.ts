import { describe, expect, test } from 'vitest'
import {
  createMemoryTransactionStore,
  createMemoryWebhookData,
  createMemoryWebhookStore,
  transactionStoreCases,
} from '../../src/testing/index.js'
import { wrongMoves } from './transaction-stores/moves.js'
import { wrongSources } from './transaction-stores/sources.js'
import type { Spoil } from './transaction-stores/wrong-store.js'

/** One mistake each, as somebody's first version of a backend would make it. */
const wrongStores = [...wrongMoves, ...wrongSources]

/** Ids of the cases that a store over one memory does not pass. */
async function failingCases(spoil: Spoil): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of transactionStoreCases) {
    const data = createMemoryWebhookData()
    const right = { ...createMemoryWebhookStore({ data }), ...createMemoryTransactionStore({ data }) }
    let [handles, forget] = [0, () => {}]
    const store = { ...right, ...spoil(right, data, (callback) => (forget = callback)) }
    const open = async () => {
      handles += 1
      return { store, webhooks: store, close: async () => void ((handles -= 1) === 0 && forget()) }
    }
    await run({ open }).catch(() => failing.push(id))
  }
  return failing
}

describe('the transaction store cases', () => {
  test('pass a store that is right', async () => {
    expect(await failingCases(() => ({}))).toEqual([])
  })

  test.each(wrongStores)('catch a store that %s, by %s alone', async (_what, caughtBy, spoil) => {
    expect(await failingCases(spoil)).toEqual([caughtBy])
  })

  test('catch one wrong store each, that no other case catches', () => {
    const caught = new Set(wrongStores.map(([, caughtBy]) => caughtBy))
    expect([...caught].sort()).toEqual(transactionStoreCases.map(({ id }) => id).sort())
  })
})
