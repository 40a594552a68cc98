import { expect, test } from 'vitest'
import { storageErrorOf } from '../../../src/engine/sqlite/errors.js'

test.each([
  ['was built for another Node', Object.assign(new Error('compiled against another'), { code: 'ERR_DLOPEN_FAILED' })],
  ['is not there', new Error('Could not locate the bindings file. Tried: …')],
])('a driver whose binary %s asks for no retry', (_name, error) => {
  const expected = { code: 'DATABASE_UNUSABLE', driverCode: 'ERR_DLOPEN_FAILED' }
  expect(storageErrorOf(error)).toMatchObject(expected)
})
