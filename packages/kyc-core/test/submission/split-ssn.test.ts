import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/submission/json-value.js'
import { partsOf } from '../../src/submission/split-ssn.js'

it('reads a value once, however many objects are around it', () => {
  let reads = 0
  const innermost = {
    get area() {
      reads += 1
      return '078'
    },
    rest: ['05', 1120],
  }
  const around: JsonObject[] = [innermost]
  for (let levels = 0; levels < 30; levels += 1) around.unshift({ inside: around[0] ?? {} })
  // The search asks for the innermost one first.
  for (const object of around.toReversed()) expect(partsOf(object)).toContain('078 05 1120')
  expect(reads).toBe(1)
})

it('reads equal values apart', () => {
  const values: JsonObject[] = [{ area: '078' }, { area: '05' }, { area: 78 }, {}, {}]
  expect(values.map((value) => partsOf(value)[0])).toEqual(['078', '05', '78', '', ''])
  expect([['078'], ['05'], []].map((value) => partsOf(value)[0])).toEqual(['078', '05', ''])
})
