import { spawn } from 'node:child_process'
import crypto, { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import fc from 'fast-check'
import { signWebhook, verifySignature } from '@kyc-relay/webhooks'
import type { Runtime, RuntimeReport, SigningCase } from './sign-on-runtime.js'

const seed = 20_261_121
const scratch = mkdtempSync(join(tmpdir(), 'kyc-relay-hmac-'))
const program = join(scratch, 'sign-on-runtime.mjs')

beforeAll(() =>
  build({
    entryPoints: [fileURLToPath(new URL('sign-on-runtime.ts', import.meta.url))],
    alias: { '@kyc-relay/webhooks': fileURLToPath(new URL('../../src/index.ts', import.meta.url)) },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  }),
)
afterAll(() => rmSync(scratch, { recursive: true }))

/** A process of its own: the test runner needs the globals of this one at any time. */
async function signOn(runtime: Runtime, cases: readonly SigningCase[]): Promise<RuntimeReport> {
  const child = spawn(process.execPath, [program, runtime], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(JSON.stringify(cases))
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect(complaint).toBe('')
  return JSON.parse(printed) as RuntimeReport
}

const anyCase = fc
  .record({
    body: fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 5000 })),
    key: fc
      .oneof(
        fc.string({ minLength: 1, maxLength: 130 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
        fc.constantFrom('k'.repeat(63), 'k'.repeat(64), 'k'.repeat(65), 'é', '\x7f', '\x80', 'a\0'),
      )
      .filter((key) => key.trim() !== ''),
  })
  .map(({ body, key }): SigningCase => {
    const expected = createHmac('sha256', Buffer.from(key)).update(body).digest('hex')
    const sent = typeof body === 'string' ? { text: body } : { base64: Buffer.from(body).toString('base64') }
    return { body: sent, key, expected }
  })

const known: readonly SigningCase[] = [
  {
    // RFC 4231, test case 2.
    body: { text: 'what do ya want for nothing?' },
    key: 'Jefe',
    expected: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    // Lone surrogates count as U+FFFD, as UTF-8 has it.
    body: { text: '{"a":"\ud800"}' },
    key: 'k',
    expected: createHmac('sha256', 'k').update('{"a":"\ufffd"}').digest('hex'),
  },
]

// Each runtime is one set of globals; the code under test is the same.
const runtimes: readonly (readonly [Runtime, RuntimeReport['globals']])[] = [
  ['Node', { process: 'object', Buffer: 'function', createHmac: 'function', timingSafeEqual: 'function' }],
  ['process without getBuiltinModule', { process: 'object', Buffer: 'function' }],
  ['no process and no Buffer', { process: 'undefined', Buffer: 'undefined' }],
  ['a polyfill of node:crypto without HMAC', { process: 'object', Buffer: 'function' }],
  ['getBuiltinModule that knows nothing', { process: 'object', Buffer: 'function' }],
  ['getBuiltinModule that throws', { process: 'object', Buffer: 'function' }],
]

describe.each(runtimes)('%s', (runtime, globals) => {
  test('agrees with node:crypto on any body and key', async () => {
    const cases = [...known, ...fc.sample(anyCase, { seed, numRuns: 150 })]
    const report = await signOn(runtime, cases)
    expect(report.globals).toEqual(globals)
    expect(report.signed).toEqual(cases.map(({ expected }) => ({ signature: expected, verified: true, refused: true })))
  })
})

test('every secret is compared by timingSafeEqual, also after a match', async () => {
  const body = '{}'
  const signature = await signWebhook(body, 'second')
  const compare = vi.spyOn(crypto, 'timingSafeEqual')
  onTestFinished(() => compare.mockRestore())
  expect(await verifySignature({ body, signature, secrets: ['first', 'second', 'third'] })).toBe(true)
  expect(compare.mock.results.map(({ value }) => value as unknown)).toEqual([false, true, false])
  expect(compare.mock.calls.flat().every((bytes) => bytes.byteLength === 64)).toBe(true)
})
