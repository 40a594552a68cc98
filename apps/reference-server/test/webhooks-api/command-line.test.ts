import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { verifyWebhook } from '@kyc-relay/webhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-cli-'))
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const key = () => server.demo.apps[0]!.apiKey

const program = fileURLToPath(new URL('../../../../packages/webhooks/dist/cli/main.js', import.meta.url))

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the built command. `onLine` sees each line that it prints. */
async function cli(
  args: readonly string[],
  more: { env?: Record<string, string>; stdin?: string; onLine?: (line: string) => void } = {},
): Promise<Ran> {
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, KYC_RELAY_API_KEY: key(), ...more.env }
  const child = spawn(process.execPath, [program, ...args], { env })
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  child.stdin.end(more.stdin ?? '')
  const out: string[] = []
  for await (const line of createInterface(child.stdout)) {
    out.push(line)
    more.onLine?.(line)
  }
  const [code] = (await ended) as [number | null]
  const err = (await errors).trimEnd()
  expect([...out, err].join('\n')).not.toContain(key())
  return { code, out: out.join('\n'), err }
}

const api = (args: readonly string[]) => cli([...args, '--url', server.demo.apiUrl])
const json = async (args: readonly string[]) => {
  const { code, out, err } = await api([...args, '--json'])
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as { items: { id: string; state: string; url: string; status: string }[] } & Record<
    string,
    string
  >
}

async function publish(amount: number) {
  const [user] = server.demo.users
  const event = { appId: user?.appId, userId: user?.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount } }
  const { internalUrl, internalToken } = server.demo
  const answer = await server.call(`${internalUrl}/internal/v1/events`, { token: internalToken, body: event })
  return answer.json['eventId'] as string
}

it('manages endpoints', async () => {
  const url = receiver.url('/managed')
  const added = await json(['endpoints', 'add', url, '--event', 'TRANSACTION_CREATE', '--description', 'shop'])
  const { id } = added.items[0]!
  expect((await json(['endpoints', 'pause', id])).items[0]?.state).toBe('PAUSED')
  expect((await json(['endpoints', 'resume', id])).items[0]?.state).toBe('HEALTHY')
  const replaced = await json(['endpoints', 'replace', id, '--to', receiver.url('/replaced')])
  const again = await api(['endpoints', 'add', receiver.url('/replaced')])
  expect([again.code, again.err]).toEqual([0, 'Warning: URL_ALREADY_REGISTERED'])
  const { out } = await api(['endpoints', 'list'])
  expect(out.split('\n')).toHaveLength(3)
  expect(out).toContain('TRANSACTION_CREATE')
  for (const { id: one } of (await json(['endpoints', 'list'])).items) await json(['endpoints', 'remove', one])
  expect((await api(['endpoints', 'list'])).out).toBe('No endpoints.')
  const gone = await api(['endpoints', 'pause', replaced.items[0]!.id])
  expect([gone.code, gone.err]).toEqual([1, '404 NOT_FOUND: There is no object with this id.'])
  const refused = await api(['endpoints', 'add', 'http://example.com/'])
  expect(refused.err).toBe('400 BAD_REQUEST URL_NOT_HTTPS: The request is malformed.\n  /url: URL_NOT_HTTPS')
  expect(JSON.parse((await api(['endpoints', 'add', 'http://example.com/', '--json'])).err)).toMatchObject({
    code: 'BAD_REQUEST',
    detail: 'URL_NOT_HTTPS',
  })
})

it('reads static headers from a file or standard input, never from an argument', async () => {
  const add = ['endpoints', 'add', receiver.url('/headers'), '--url', server.demo.apiUrl, '--json', '--headers']
  const added = await cli([...add, '-'], { stdin: '{"X-Tenant":"blue"}' })
  const { id, headerNames } = JSON.parse(added.out).items[0] as { id: string; headerNames: readonly string[] }
  expect([added.code, headerNames]).toEqual([0, ['X-Tenant']])
  const file = join(folder, 'headers.json')
  writeFileSync(file, '{"Host":"example.com"}')
  expect((await cli([...add, file])).err).toContain('HEADER_NAME_NOT_ALLOWED')
  for (const wrong of ['[]', 'null', '"X-Tenant: blue"', '{']) {
    const refused = await cli([...add, '-'], { stdin: wrong })
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('--headers takes a file with a JSON object'),
    ])
  }
  expect((await cli([...add, join(folder, 'absent.json')])).code).toBe(2)
  await json(['endpoints', 'remove', id])
})

it('searches, shows, resends, follows and recovers deliveries', async () => {
  const endpoint = (await json(['endpoints', 'add', receiver.url('/log')])).items[0]!
  const eventId = await publish(1)
  await expect
    .poll(async () => (await json(['deliveries', 'list', '--event-id', eventId])).items[0]?.status)
    .toBe('DELIVERED')
  const [delivery] = (await json(['deliveries', 'list', '--since', '1h', '--status', 'delivered'])).items
  expect((await api(['deliveries', 'show', delivery!.id])).out).toContain('"attempts"')
  const lines: string[] = []
  const following = cli(
    ['deliveries', 'tail', '--url', server.demo.apiUrl, '--since', '1m', '--status', 'DELIVERED', '--count', '2'],
    {
      onLine: (line) => void lines.push(line),
    },
  )
  // An id that is given twice is sent once.
  const resent = await json(['deliveries', 'resend', delivery!.id, delivery!.id])
  expect((await following).code).toBe(0)
  expect(lines.join('\n')).toContain(resent['deliveryId'])
  const counted = await api(['recover', endpoint.id, '--since', '1h', '--dry-run'])
  expect(counted.out).toBe(
    '0 of 1 events would be sent. Left out: 1 acknowledged, 0 pending, 0 without scope, 0 erased.',
  )
  const recovered = await api(['recover', endpoint.id, '--since', '1h', '--wait'])
  expect([recovered.code, recovered.out]).toEqual([0, expect.stringMatching(/^DONE: 0 of 1 events are sent\./)])
  expect((await api(['deliveries', 'list', '--http-status', '503'])).out).toBe('No deliveries.')
  await json(['endpoints', 'remove', endpoint.id])
})

describe('profiles', () => {
  it('keep address and key in a file of their own, and are refused where others can read it', async () => {
    const add = ['profile', 'add', 'local', '--url', server.demo.apiUrl]
    const made = await cli(add, { stdin: `${key()}\n` })
    const path = join(folder, 'kyc-relay/profiles/local.json')
    expect([made.code, made.out]).toEqual([0, `Wrote ${path}.`])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain(key())
    expect((await cli(add, { stdin: 'another' })).code).toBe(2)
    const listed = await cli(['endpoints', 'list', '--profile', 'local'], { env: { KYC_RELAY_API_KEY: '' } })
    expect([listed.code, listed.err]).toEqual([0, ''])
    expect((await cli(['profile', 'list'])).out).toBe('local')
    chmodSync(path, 0o640)
    const readable = await cli(['endpoints', 'list', '--profile', 'local'])
    expect([readable.code, readable.err]).toEqual([2, expect.stringContaining('Others can read')])
    expect((await cli(['profile', 'remove', 'local'])).code).toBe(0)
    expect((await cli(['profile', 'remove', 'local'])).code).toBe(1)
    expect((await cli(['endpoints', 'list', '--profile', 'local'])).err).toMatch(/^There is no profile local\./)
  })

  it('take no key over plain HTTP from another machine, no empty key, and no other name', async () => {
    for (const [args, stdin] of [
      [['profile', 'add', 'x', '--url', 'http://example.com'], key()],
      [['profile', 'add', 'x', '--url', 'https://example.com'], ''],
      [['profile', 'add', '../x', '--url', 'https://example.com'], key()],
    ] as const) {
      expect((await cli(args, { stdin })).code).toBe(2)
    }
  })
})

it.each([
  [['endpoint', 'list'], 'Unknown command. Did you mean endpoints? Known:'],
  [['endpoints', 'lst'], 'Give one of list, add, replace, pause, resume, remove. Did you mean list?'],
  [['endpoints', 'add', 'https://a.example/', '--event', 'TRANSACTION_CRATE'], 'Did you mean TRANSACTION_CREATE?'],
  [['endpoints', 'pause', 'x/../..'], 'The id of an endpoint is a UUID.'],
  [['deliveries', 'list', '--status', 'GONE'], '--status takes'],
  [['deliveries', 'list', '--since', 'yesterday'], '--since takes a time'],
  [['deliveries', 'show'], 'show takes one argument.'],
  [['recover', '00000000-0000-0000-0000-000000000000'], 'Give the begin of the range'],
  [['listen', '--from-feed'], '--from-feed needs --forward URL.'],
  [['endpoints', 'list', '--url', 'http://example.com'], '--url takes the address of the service: https://'],
  [['endpoints', 'list', '--profile', 'a', '--data-dir', 'b'], 'Give only one of --profile and --data-dir.'],
])('%j is a mistake in the command line', async (args, said) => {
  const { code, err } = await cli(args)
  expect([code, err]).toEqual([2, expect.stringContaining(said)])
})

it('says that the service does not answer, and that a key is missing', async () => {
  const away = await cli(['endpoints', 'list', '--url', 'http://127.0.0.1:9'])
  expect([away.code, away.err]).toEqual([1, expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:9 /)])
  const keyless = await cli(['endpoints', 'list'], { env: { KYC_RELAY_API_KEY: '' } })
  expect([keyless.code, keyless.err]).toEqual([2, expect.stringContaining('No API key.')])
  const wrong = await cli(['endpoints', 'list', '--url', server.demo.apiUrl], { env: { KYC_RELAY_API_KEY: 'wrong' } })
  expect([wrong.code, wrong.err]).toEqual([1, '401 UNAUTHENTICATED API_KEY_REQUIRED: A valid API key is required.'])
})

it('hands new events of the feed to a receiver on this machine, signed with a local key', async () => {
  const received: unknown[] = []
  const local: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const signed = { body: Buffer.concat(parts), headers: request.headers, secrets: 'local-key' }
      void verifyWebhook(signed).then(({ event }) => {
        received.push(event)
        response.end()
      })
    })
  })
  await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve))
  const forward = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`
  await publish(41)
  const listened = await cli(
    ['listen', '--from-feed', '--forward', forward, '--url', server.demo.apiUrl, '--count', '2', '--json'],
    {
      env: { KYC_RELAY_LOCAL_KEY: 'local-key' },
      onLine(line) {
        if (line.includes('following')) void publish(42).then(() => publish(43))
      },
    },
  )
  expect(listened.code).toBe(0)
  expect(received).toMatchObject([{ amount: 42 }, { amount: 43 }])
  const own = await cli(['listen', '--from-feed', '--forward', forward, '--url', server.demo.apiUrl], {
    env: { KYC_RELAY_LOCAL_KEY: key() },
  })
  expect(own.code).toBe(2)
  await new Promise((resolve) => local.close(resolve))
})
