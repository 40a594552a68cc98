import { expect, test } from 'vitest'
import { judge } from './attack/judge.mjs'

// What the campaign `attack` holds to be wrong.
const marker = 'zq0a1b2c3d'
const judged = (request, answer) => judge({ bytes: Buffer.from(request), received: Buffer.from(answer), marker })
const answer = (status, body = '{}') =>
  `HTTP/1.1 ${status} Reason\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

test.each([200, 400, 431, 503])('an answer of %i is ours', (status) => {
  expect(judged('POST / HTTP/1.1\r\n\r\n', answer(status))).toEqual([])
})

test.each([500, 501, 502, 505])('an answer of %i to a request of HTTP/1.1 is wrong', (status) => {
  expect(judged('POST / HTTP/1.1\r\n\r\n', answer(status))).toEqual([`got ${status}`])
})

test.each(['1.0', '2.0', '1.9', '0.9'])('505 is ours when the request is of HTTP/%s', (version) => {
  expect(judged(`POST / HTTP/${version}\r\n\r\n`, answer(505))).toEqual([])
})

test('the second answer of a pipeline is looked at too', () => {
  expect(judged('POST / HTTP/1.1\r\n\r\n', answer(200) + answer(500))).toEqual(['got 500'])
})

test('an answer that repeats the marker is wrong', () => {
  expect(judged('POST / HTTP/1.1\r\n\r\n', answer(400, marker))).toEqual(['an answer repeats a submitted value'])
})
