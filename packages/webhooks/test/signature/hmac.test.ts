import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import fc from 'fast-check'
import { signWebhook, verifySignature } from '@kyc-relay/webhooks'

const seed = 20_261_121

// Each runtime is one set of globals; the code under test is the same.
const runtimes: readonly (readonly [string, () => void])[] = [
  ['Node', () => undefined],
  ['Node without crypto.hash', () => stubBuiltins({ 'node:crypto': { createHmac } })],
  ['Web Crypto, process without getBuiltinModule', () => vi.stubGlobal('process', { env: {} })],
  [
    'Web Crypto, no process and no Buffer',
    () => {
      vi.stubGlobal('process', undefined)
      vi.stubGlobal('Buffer', undefined)
    },
  ],
  ['a polyfill of node:crypto without HMAC', () => stubBuiltins({ 'node:crypto': {} })],
  ['getBuiltinModule that knows nothing', () => stubBuiltins({})],
]

function stubBuiltins(modules: Record<string, unknown>): void {
  vi.stubGlobal('process', { getBuiltinModule: (name: string) => modules[name] })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each(runtimes)('%s', (_name, enter) => {
  test('agrees with node:crypto on any body and key', async () => {
    const NodeBuffer = Buffer
    enter()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 5000 })),
        fc.oneof(
          fc.string({ minLength: 1, maxLength: 130 }),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
          fc.constantFrom('k'.repeat(63), 'k'.repeat(64), 'k'.repeat(65), 'é', '\x7f', '\x80', 'a\0'),
        ),
        async (body, key) => {
          fc.pre(key.trim() !== '')
          const expected = createHmac('sha256', NodeBuffer.from(key)).update(body).digest('hex')
          expect(await signWebhook(body, key)).toBe(expected)
          expect(await verifySignature({ body, signature: expected, secrets: ['other', key] })).toBe(true)
          const flipped = `${expected.slice(0, -1)}${expected.endsWith('0') ? '1' : '0'}`
          expect(await verifySignature({ body, signature: flipped, secrets: ['other', key] })).toBe(false)
        },
      ),
      { seed, numRuns: 150 },
    )
  })

  // RFC 4231, test cases 2 and 6.
  test.each([
    ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  ])('RFC 4231: key %s', async (key, text, expected) => {
    enter()
    expect(await signWebhook(text, key)).toBe(expected)
  })

  test('lone surrogates count as U+FFFD, as UTF-8 has it', async () => {
    enter()
    expect(await signWebhook('{"a":"\ud800"}', 'k')).toBe(await signWebhook('{"a":"\ufffd"}', 'k'))
  })
})

test("nothing of the secret stays in Node's buffer pool", async () => {
  const slabs = new Set<ArrayBuffer>()
  const original = Buffer.allocUnsafe.bind(Buffer)
  const spy = vi.spyOn(Buffer, 'allocUnsafe').mockImplementation((size) => {
    const buffer = original(size)
    slabs.add(buffer.buffer)
    return buffer
  })
  const secret = 'a very secret key that must not remain anywhere'
  await signWebhook('{}', secret)
  await signWebhook('{}', `${secret} é`)
  spy.mockRestore()
  expect(slabs.size).toBeGreaterThan(0)
  for (const mask of [0x36, 0x5c]) {
    // Text, since a small Buffer would lie in the very pool that is searched.
    const masked = Array.from(secret, (character) => String.fromCharCode(character.charCodeAt(0) ^ mask)).join('')
    for (const slab of slabs) expect(Buffer.from(slab).toString('latin1')).not.toContain(masked)
  }
})

test('the comparison looks at every character, wherever the first difference is', async () => {
  const body = '{}'
  const signature = await signWebhook(body, 'k')
  const read: number[] = []
  const charCodeAt = vi.spyOn(String.prototype, 'charCodeAt')
  for (const position of [0, 31, 63]) {
    const wrong = `${signature.slice(0, position)}${signature[position] === '0' ? '1' : '0'}${signature.slice(position + 1)}`
    charCodeAt.mockClear()
    expect(await verifySignature({ body, signature: wrong, secrets: 'k' })).toBe(false)
    read.push(charCodeAt.mock.calls.length)
  }
  charCodeAt.mockRestore()
  expect(new Set(read).size).toBe(1)
  expect(read[0]).toBeGreaterThanOrEqual(128)
})
