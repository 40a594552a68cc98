import { describe, expect, test } from 'vitest'
import { completePolicy } from '../../src/retention/retention.js'

const ages = ['bodyAgeMs', 'attemptAgeMs', 'expiredTokenAgeMs', 'endpointHourAgeMs'] as const

describe.each(ages)('%s', (name) => {
  test.each([-1, Number.NaN, Infinity, '30' as never])('of %s is refused', (age) => {
    expect(() => completePolicy({ [name]: age })).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
  })

  test('that is undefined has its default', () => {
    expect(completePolicy({ [name]: undefined })).toEqual(completePolicy())
  })

  test('of 0 is taken', () => {
    expect(completePolicy({ [name]: 0 })).toEqual({ ...completePolicy(), [name]: 0 })
  })
})

test('a misspelt age is refused: data would be removed at the default age', () => {
  const refusal = expect.objectContaining({ code: 'ARGUMENT_INVALID' }) as object
  expect(() => completePolicy({ bodyAge: 365 * 86_400_000 } as never)).toThrow(refusal)
})
