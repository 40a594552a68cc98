import { expect, test } from 'vitest'
import { classifyResponse } from '../../src/delivery/classify-response.js'

test('every status from 0 to 1,100 is checked', () => {
  for (let status = 0; status <= 1_100; status += 1) {
    const expected =
      status < 200 || status > 999
        ? 'INVALID_RESPONSE'
        : status < 300
          ? null
          : status < 400
            ? 'REDIRECT'
            : 'HTTP_STATUS'
    expect(classifyResponse(status), String(status)).toBe(expected)
  }
})

test.each([NaN, -200, 200.5, Infinity])('%d is no status', (status) => {
  expect(classifyResponse(status)).toBe('INVALID_RESPONSE')
})
