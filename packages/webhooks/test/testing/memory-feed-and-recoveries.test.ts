import { describe, expect, test } from 'vitest'
import { feedStoreCases, recoveryStoreCases } from '../../src/testing/index.js'
import { feedHarness, recoveryHarness } from './memory-handles.js'

test('every case has an id of its own and says what a store must do', () => {
  const all = [...feedStoreCases, ...recoveryStoreCases]
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  for (const { id, name } of all) {
    expect(id).toMatch(/^[FR]S-[A-Z]+-\d+$/)
    expect(name).toContain('MUST')
  }
})

describe('the feed in memory', () => {
  test.each(feedStoreCases)('$id $name', ({ run }) => run(feedHarness()))
})

describe('recoveries in memory', () => {
  test.each(recoveryStoreCases)('$id $name', ({ run }) => run(recoveryHarness()))
})
