import { expect, test } from 'vitest'
import { endOfTurn } from '../../src/http/end-of-turn.js'

test('all callers of a turn take each step together', async () => {
  const steps: string[] = []
  const take = async (name: string) => {
    await endOfTurn()
    steps.push(`${name} 1`)
    await Promise.resolve()
    steps.push(`${name} 2`)
  }

  await Promise.all([take('a'), take('b')])

  expect(steps).toEqual(['a 1', 'b 1', 'a 2', 'b 2'])
})

test('a caller continues after everything else of its turn', async () => {
  const order: string[] = []
  const turn = endOfTurn().then(() => order.push('continued'))
  setImmediate(() => order.push('next turn'))
  process.nextTick(() => order.push('same turn'))

  await turn
  await new Promise((resolve) => setImmediate(resolve))

  expect(order).toEqual(['same turn', 'continued', 'next turn'])
})
