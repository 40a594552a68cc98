import { iso31661, iso31662 } from 'iso-3166'
import { describe, expect, it } from 'vitest'
import { isCountryCode, isUsSubdivision } from '../../src/submission/country-codes.js'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))

describe('the lists in the source', () => {
  it('hold exactly the assigned countries of ISO 3166-1', () => {
    const assigned = iso31661.map(({ alpha2 }) => alpha2).sort()
    expect(PAIRS.filter(isCountryCode)).toEqual(assigned)
  })

  it('hold the US subdivisions of ISO 3166-2 without the uninhabited islands, and the three military ones', () => {
    const ofTheUs = iso31662.filter(({ parent }) => parent === 'US').map(({ code }) => code.slice(3))
    const expected = [...ofTheUs.filter((code) => code !== 'UM'), 'AA', 'AE', 'AP'].sort()
    expect(PAIRS.filter(isUsSubdivision)).toEqual(expected)
    expect(expected).toHaveLength(59)
  })

  it('know no other spelling', () => {
    for (const text of ['', 'u', 'us', 'USA', 'US ', ' US', 'toString', '__proto__']) {
      expect([text, isCountryCode(text), isUsSubdivision(text)]).toEqual([text, false, false])
    }
  })
})
