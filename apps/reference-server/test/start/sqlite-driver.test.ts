import { describe, expect, it } from 'vitest'
import { driverMayAbort, installedDriverVersion } from '../../src/sqlite-driver.js'

describe('a Node that checks what its SQLite driver does', () => {
  it.each([
    ['v20.20.2', '12.11.1', false],
    ['v22.23.3', '12.11.1', false],
    ['v23.11.0', '12.11.1', false],
    ['v24.21.0', '12.11.1', true],
    ['v24.21.0', '11.10.0', true],
    ['v24.21.0', '13.2.0', false],
    ['v26.10.0', '12.11.1', true],
    ['v26.10.0', '14.0.0', false],
  ])('%s with better-sqlite3 %s may abort: %s', (node, driver, expected) => {
    expect(driverMayAbort(node, driver)).toBe(expected)
  })

  it('is told of by the installed version', () => {
    expect(installedDriverVersion()).toMatch(/^\d+\.\d+\.\d+$/)
  })
})
