import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { run } from '../src/cli/run.js'

const folder = mkdtempSync(join(tmpdir(), 'kyc-conformance-'))
afterAll(() => rmSync(folder, { recursive: true }))
const key = 'kyc_key_example_only'

async function command(args: readonly string[], status = 204, answer = '{"a":"<&\\u0007>"}') {
  const out: string[] = []
  const err: string[] = []
  const code = await run(args, {
    env: { KYC_RELAY_API_KEY: key, OTHER_KEY: key },
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    now: () => new Date(),
    fetch: () => Promise.resolve(new Response(status === 204 ? null : answer, { status })),
  })
  expect([...out, ...err].join()).not.toContain(key)
  return { code, out: out.join('\n'), err: err.join('\n') }
}
const receiver = ['receiver', '--url', 'http://localhost:1/webhooks']

describe('kyc-conformance', () => {
  test('exits 1 with a table of what is wrong', async () => {
    const { code, out } = await command(receiver)
    expect(code).toBe(1)
    expect(out).toMatch(/^ok {4}RX-GOOD-1 +A request with a good signature MUST be accepted$/m)
    expect(out).toMatch(/^FAIL {2}RX-SIGN-1 .*\n +Request 1 must be refused, but was answered 204\.$/m)
    expect(out).toMatch(/^\d+ passed, 6 failed, 4 skipped$/m)
  })

  test('prints JSON and writes JUnit', async () => {
    const file = join(folder, 'report.xml')
    const { code, out } = await command([...receiver, '--json', '--junit', file, '--key-env', 'OTHER_KEY'])
    expect(code).toBe(1)
    const { suite, cases } = JSON.parse(out) as { suite: string; cases: { id: string; state: string }[] }
    expect(suite).toBe('receiver')
    expect(cases).toContainEqual(expect.objectContaining({ id: 'RX-SIGN-1', state: 'failed' }))
    const xml = readFileSync(file, 'utf8')
    expect(xml).toContain(
      `<testsuite name="kyc-conformance receiver" tests="${cases.length}" failures="6" skipped="4">`,
    )
    expect(xml).toContain('<failure message="Request 1 must be refused, but was answered 204."/>')
  })

  test('lets an endpoint that refuses everything fail the good submissions', async () => {
    const args = ['ingestion', '--url', 'https://ingestion.example/graphql', '--dry-run', '--json']
    const { code, out } = await command(args, 400)
    expect(code).toBe(1)
    const { cases } = JSON.parse(out) as { cases: { name: string; state: string }[] }
    const isRight = cases.every(({ name, state }) => (state === 'failed') === name.endsWith('MUST be accepted'))
    expect(isRight).toBe(true)
  })

  test.each([
    [[], 'Say what to check: receiver, sender or ingestion.'],
    [['everything'], 'Say what to check: receiver, sender or ingestion.'],
    [['receiver'], 'Give a URL: --url URL.'],
    [['receiver', '--url', 'ftp://x'], '--url takes a full URL, http or https.'],
    [['receiver', '--url', 'http://x', '--key-env', 'MISSING'], 'The environment variable MISSING is not set.'],
    [['receiver', '--url', 'http://x', '--dry-run'], '--dry-run belongs to ingestion.'],
    [['ingestion', '--url', 'http://x', '--timeout', '0'], '--timeout takes seconds, more than 0 and at most 3600.'],
    [['sender', '--url', 'http://x', '--listen', 'x'], '--listen takes HOST:PORT.'],
    [['sender', '--url', 'http://x', '--cert-file', 'a'], 'Give --cert-file and --tls-key-file together.'],
    [['receiver', '--unknown'], "Unknown option '--unknown'. --help lists the options."],
  ])('exits 2 for %j', async (args, message) => {
    const { code, err } = await command(args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  test.each(['null', '{"errors":[{"extensions":{"violations":[null]}}]}'])(
    'lets an endpoint that answers %s fail, and ends',
    async (answer) => {
      const args = ['ingestion', '--url', 'https://ingestion.example/graphql', '--dry-run', '--json']
      const { code, out } = await command(args, 200, answer)
      expect([code, out]).toEqual([1, expect.stringContaining('"state": "failed"')])
    },
  )

  test('tells the outcomes before it fails to write the report', async () => {
    const { code, out, err } = await command([...receiver, '--junit', join(folder, 'none', 'report.xml')])
    expect(code).toBe(2)
    expect(out).toMatch(/^\d+ passed, 6 failed, 4 skipped$/m)
    expect(err).toContain('Cannot write the file')
  })

  // 2.01 * 1000 is 2009.9999999999998, and a timer takes whole milliseconds.
  test.each(['2.01', '16.1', '0.0001'])('takes --timeout %s', async (seconds) => {
    const { code, out } = await command([...receiver, '--timeout', seconds])
    expect([code, out]).toEqual([1, expect.stringContaining('6 failed, 4 skipped')])
  })

  test('listens at an IPv6 address in brackets', async () => {
    const taken = createServer().listen(0, '::1')
    await once(taken, 'listening')
    const at = `[::1]:${(taken.address() as AddressInfo).port}`
    const { code, err } = await command(['sender', '--url', 'http://sender.example', '--listen', at])
    taken.close()
    expect([code, err]).toEqual([2, `Cannot listen on ${at}: EADDRINUSE. Choose another --listen.`])
  })

  test('exits 2 when it cannot listen', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const at = `127.0.0.1:${(taken.address() as AddressInfo).port}`
    const sender = ['sender', '--url', 'http://sender.example']
    const one = await command([...sender, '--listen', at])
    expect([one.code, one.err]).toEqual([2, `Cannot listen on ${at}: EADDRINUSE. Choose another --listen.`])
    taken.close()
    const file = join(folder, 'no.pem')
    writeFileSync(file, 'no certificate')
    const other = await command([...sender, '--cert-file', file, '--tls-key-file', file])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('a certificate and its private key')])
  })

  test('helps within 80 columns', async () => {
    const { code, out } = await command(['--help'])
    expect(code).toBe(0)
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80)
  })
})
