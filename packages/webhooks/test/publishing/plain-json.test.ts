import { expect, it } from 'vitest'
import { plainJson } from '../../src/publishing/plain-json.js'

it.each([
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [5e-324, `0.${'0'.repeat(323)}5`],
  [1e21, '1000000000000000000000'],
  [1.5e300, `15${'0'.repeat(299)}`],
  [0.000001, '0.000001'],
  [-0, '0'],
  [100.5, '100.5'],
])('writes %d in plain notation', (number, text) => {
  expect(plainJson({ a: [number] })).toBe(`{"a":[${text}]}`)
  expect(JSON.parse(plainJson(number))).toBe(number === 0 ? 0 : number)
})

it.each([{ '1e-7': '1e-7' }, ['"1e-7', '\\"1e-7\\', '2e+5'], null, 'e-7', { a: { b: [true, 'x"1e5"'] } }])(
  'leaves texts as they are: %j',
  (value) => {
    expect(plainJson(value)).toBe(JSON.stringify(value))
  },
)
