import { describe, expect, test } from 'vitest'
import { createReceivedBody } from '../../src/receiver/received-body.js'

describe('a received body', () => {
  test('takes no more memory than twice its bytes, however small the chunks are', () => {
    const body = createReceivedBody(1_000_000)
    const sent = Uint8Array.from({ length: 10_000 }, (_, index) => index % 251)
    expect([...sent].every((byte) => body.add(Uint8Array.of(byte)))).toBe(true)
    expect(Buffer.from(body.bytes()).equals(sent)).toBe(true)
    expect(body.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * sent.byteLength)
  })

  test('takes exactly its limit, and no byte more', () => {
    const body = createReceivedBody(10)
    expect(body.add(new Uint8Array(4))).toBe(true)
    expect(body.add(new Uint8Array(7))).toBe(false)
    expect(body.add(new Uint8Array(6))).toBe(true)
    expect(body.bytes().byteLength).toBe(10)
    expect(body.add(Uint8Array.of(1))).toBe(false)
    expect(body.bytes().byteLength).toBe(10)
  })

  test('is empty at first', () => {
    expect(createReceivedBody(10).bytes()).toEqual(new Uint8Array(0))
  })

  test('keeps no chunk that its sender changes afterwards', () => {
    const body = createReceivedBody(10)
    const chunk = Uint8Array.of(1, 2)
    body.add(chunk)
    chunk.fill(0)
    expect([...body.bytes()]).toEqual([1, 2])
  })
})
