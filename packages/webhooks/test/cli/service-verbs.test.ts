import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/cli/run.js'

const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-verbs-'))
afterAll(() => rmSync(folder, { recursive: true }))

function start(args: readonly string[], stdin = '', apiKey = 'a key') {
  const out: string[] = []
  const err: string[] = []
  const stop = new AbortController()
  const code = run(args, {
    env: { KYC_RELAY_API_KEY: apiKey, XDG_CONFIG_HOME: folder },
    stdin: (async function* () {
      await Promise.resolve()
      yield Buffer.from(stdin)
    })(),
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    colours: false,
    stopped: stop.signal,
    now: () => new Date('2026-03-02T15:04:05.678Z'),
  })
  return { code, out, err, stop: () => stop.abort() }
}

const id = '6f1c1f0e-63a4-4f5c-9d68-0a2c0f3b7f11'
const fromFeed = ['listen', '--from-feed', '--from-start', '--forward', 'http://127.0.0.1:9/']

test.each([
  [['deliveries', 'list', '--statsu', 'FAILED'], 'Unknown option --statsu. Did you mean --status?'],
  [['endpoints', 'add', 'https://a.example/', '--evnt', 'x'], 'Unknown option --evnt. Did you mean --event?'],
  [['endpoints', 'list', '--api-key=secret'], 'Unknown option --api-key. --help lists the options.'],
  [['deliveries', 'list', '--count', '3'], '--count is for tail.'],
  [['deliveries', 'tail', '--limit', '3'], '--limit is for list.'],
  [['deliveries', 'resend', id, '--status', 'FAILED'], 'resend takes no filters.'],
])('%j is a mistake, and says what was meant', async (args, said) => {
  const { code, err } = start(args)
  expect([await code, err]).toEqual([2, [said]])
})

test('a profile that belongs to another user is refused; its removal prints JSON for scripts', async () => {
  expect(await start(['profile', 'add', 'mine', '--url', 'http://127.0.0.1:9'], 'key').code).toBe(0)
  const uid = process.getuid?.() ?? 0
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1)
  const foreign = start(['endpoints', 'list', '--profile', 'mine'])
  expect([await foreign.code, foreign.err[0]]).toEqual([2, expect.stringContaining('belongs to another user')])
  getuid.mockRestore()
  const removed = start(['profile', 'remove', 'mine', '--json'])
  expect([await removed.code, removed.out]).toEqual([0, ['{"removed":"mine"}']])
})

test('a profile that exists and cannot be used is not called absent', async () => {
  const path = join(folder, 'kyc-relay/profiles/stuck.json')
  // A link to itself: it can be opened by nobody, not even by root.
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(path, path)
  const read = start(['endpoints', 'list', '--profile', 'stuck'])
  expect([await read.code, read.err]).toEqual([2, [`Cannot read ${path}: ELOOP.`]])
  rmSync(path)
  mkdirSync(path)
  const removed = start(['profile', 'remove', 'stuck'])
  expect([await removed.code, removed.err]).toEqual([
    2,
    [expect.stringMatching(/^Cannot remove .*stuck\.json: \w*EISDIR\.$/)],
  ])
  rmSync(path, { recursive: true })
  const absent = start(['profile', 'remove', 'stuck'])
  expect([await absent.code, absent.err]).toEqual([1, ['There is no profile stuck.']])
})

test('an API key that no header can hold is a mistake, and not a service that does not answer', async () => {
  const { code, err } = start(['endpoints', 'list', '--url', 'http://127.0.0.1:9'], '', 'sch\u00f6n')
  expect([await code, err]).toEqual([2, ['KYC_RELAY_API_KEY has characters that no API key has.']])
})

test('what follows the service until it is stopped ends with 0, also in the middle of a call', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  for (const [args, expected] of [
    [['deliveries', 'tail'], 0],
    [['listen', '--from-feed', '--forward', 'http://127.0.0.1:9/'], 0],
    [['deliveries', 'list'], 1],
    [['recover', id, '--since', '3h', '--wait'], 1],
  ] as const) {
    const asked = once(silent, 'request')
    const { code, err, stop } = start([...args, '--url', url])
    await asked
    stop()
    expect([args, await code, err.filter((text) => text.startsWith('No answer'))]).toEqual([args, expected, []])
  }
  silent.closeAllConnections()
  silent.close()
})

test.each(['2026-02-30T00:00:00Z', '2026-01-31T12:00:00', '2026-01-31T12:00:00+05:30'])(
  'the service reads the time %s, as it was given',
  async (time) => {
    const asked: (string | null)[] = []
    const log = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://log').searchParams.get('createdAfter'))
      response.end(JSON.stringify({ items: [], nextCursor: null }))
    }).listen(0, '127.0.0.1')
    await once(log, 'listening')
    const url = `http://127.0.0.1:${(log.address() as AddressInfo).port}`
    const { code, out } = start(['deliveries', 'list', '--since', time, '--url', url])
    expect([await code, out, asked]).toEqual([0, ['No deliveries.'], [time]])
    log.close()
  },
)

test('an answer that is not of the service, or breaks off, is a failure that quotes nothing of it', async () => {
  const answers = ['<html>a page of a proxy</html>', 'null', '{"status":"ok"}', 'cut']
  const other = createServer((_, response) => {
    const next = answers.shift() ?? ''
    if (next !== 'cut') return void response.end(next)
    response.writeHead(200, { 'content-length': 1000 }).write('{"items":[', () => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const noList = 'The service answered 200 without the expected JSON. Is --url its address?'
  for (const said of [
    noList,
    noList,
    noList,
    expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:\d+ \(\w+\)\.$/),
  ]) {
    const { code, err } = start(['deliveries', 'list', '--url', url])
    expect([await code, err]).toEqual([1, [said]])
  }
  other.close()
})

test.each([
  ['recover', id, '--since', '1h'],
  ['recover', id, '--since', '1h', '--dry-run'],
  ['endpoints', 'add', 'https://a.example/'],
  ['endpoints', 'pause', id],
  ['endpoints', 'remove', id],
  ['endpoints', 'list'],
  ['deliveries', 'list'],
  ['deliveries', 'show', id],
  ['deliveries', 'resend', id],
  fromFeed,
])('the JSON of another server is no answer to %s %s', async (...args) => {
  const other = createServer((_, response) => response.end('{"items":[null],"nextCursor":null}')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const { code, err } = start([...args, '--url', url])
  expect([await code, err.at(-1)]).toEqual([
    1,
    'The service answered 200 without the expected JSON. Is --url its address?',
  ])
  other.closeAllConnections()
  other.close()
})

test.each([{}, { acknowledged: 1 }, 7])('no recovery is counted from what another server says: %o', async (skipped) => {
  const answer = JSON.stringify({ state: 'DONE', recoveryId: id, matched: 3, created: 1, skipped })
  const other = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  for (const how of ['--dry-run', '--wait']) {
    const { code, err } = start(['recover', id, '--since', '1h', how, '--url', url])
    const said = 'The service answered 200 without the expected JSON. Is --url its address?'
    expect([how, await code, err]).toEqual([how, 1, [said]])
  }
  other.closeAllConnections()
  other.close()
})

const fed = { eventId: id, eventType: 'TRANSACTION_CREATE', body: '{}', deliveries: [] }

test.each([
  ['has no cursor', { items: [fed] }],
  ['has a cursor that is null', { items: [fed], nextCursor: null }],
  ['has an event without a body', { items: [{ ...fed, body: undefined }], nextCursor: 'c' }],
  ['has an event without deliveries', { items: [{ ...fed, deliveries: undefined }], nextCursor: 'c' }],
])('a feed is refused whose page %s, and nothing is handed on', async (_, page) => {
  const foreign = createServer((__, response) => response.end(JSON.stringify(page))).listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
  const { code, out, err } = start([...fromFeed, '--count', '2', '--url', url])
  expect([await code, out, err.at(-1)]).toEqual([
    1,
    ['Following the feed. Stop with Ctrl+C.'],
    'The service answered 200 without the expected JSON. Is --url its address?',
  ])
  foreign.close()
})

test('names in the feed cannot command the terminal', async () => {
  const page = { items: [{ ...fed, eventType: '\u001b[2J', deliveries: [{ xEventId: '\u001b[1m' }] }], nextCursor: 'c' }
  const foreign = createServer((_, response) => response.end(JSON.stringify(page))).listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
  const { code, out } = start([...fromFeed, '--count', '1', '--url', url])
  expect([await code, out.at(-1)]).toEqual([0, '\\u001b[2J \\u001b[1m no answer'])
  foreign.close()
})

const listed = (number: number) => ({
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  createdAt: '2020-01-01T00:00:00.000Z',
  eventType: 'TRANSACTION_CREATE',
  status: 'PENDING',
  httpStatus: null,
  latencyMs: null,
  url: 'https://a.example/',
})

test.each<[string, (asked: number) => object, number]>([
  ['without deliveries has a cursor', (asked) => ({ items: [], nextCursor: `c${asked}` }), 1],
  ['has a cursor of an earlier page', (asked) => ({ items: [listed(asked)], nextCursor: `c${asked % 3}` }), 4],
  ['has a delivery without members', () => ({ items: [{ id }], nextCursor: null }), 1],
  ['has members of other types', () => ({ items: [{ ...listed(1), url: {} }], nextCursor: null }), 1],
])('a list is refused whose page %s', async (_, pageOf, expected) => {
  let asked = 0
  const endless = createServer((__, response) => response.end(JSON.stringify(pageOf((asked += 1))))).listen(
    0,
    '127.0.0.1',
  )
  await once(endless, 'listening')
  const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`
  const { code, out, err } = start(['deliveries', 'list', '--url', url])
  expect([await code, out, err, asked]).toEqual([
    1,
    [],
    ['The service answered 200 without the expected JSON. Is --url its address?'],
    expected,
  ])
  endless.close()
})

test('a list has no more rows than were asked for', async () => {
  const items = Array.from({ length: 300 }, (_, index) => listed(index))
  const generous = createServer((_, response) => response.end(JSON.stringify({ items, nextCursor: null })))
  await once(generous.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(generous.address() as AddressInfo).port}`
  const { code, out } = start(['deliveries', 'list', '--limit', '3', '--url', url, '--json'])
  expect([await code, JSON.parse(out[0] ?? '')]).toEqual([0, { items: items.slice(0, 3) }])
  generous.close()
})

test('a redirect is not followed, and an answer without an end is not read to it', async () => {
  const other = createServer((request, response) => {
    if (request.url?.includes('deliveries')) return void response.writeHead(302, { location: '/elsewhere' }).end()
    const write = () => void response.write(Buffer.alloc(1 << 20, ' '), (error) => error ?? write())
    write()
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  for (const [verbs, status] of [
    [['deliveries', 'list'], 302],
    [['endpoints', 'list'], 200],
  ] as const) {
    const { code, err } = start([...verbs, '--url', url])
    const said = `The service answered ${status} without the expected JSON. Is --url its address?`
    expect([await code, err]).toEqual([1, [said]])
  }
  other.closeAllConnections()
  other.close()
})

test('what follows the service shows every delivery, whatever its clock says, and outlives a failure', async () => {
  const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  // The clock of this machine is years ahead. Deliveries 2 to 451 are made between the first two looks.
  const createdAt = '2020-01-01T00:00:00.000Z'
  let made = 1
  let asked = 0
  const service = createServer((request, response) => {
    asked += 1
    const query = new URL(request.url ?? '', 'http://localhost').searchParams
    if (asked === 3) return void response.writeHead(503).end('{"code":"UNAVAILABLE","title":"Not now."}')
    if (asked === 4) return void response.destroy()
    if (asked === 5) made = 451
    const newest = made - Number(query.get('cursor') ?? '0')
    const rows = Math.min(Number(query.get('limit')), newest)
    const isListed = (query.get('createdAfter') ?? '') <= createdAt
    const items = Array.from({ length: isListed ? rows : 0 }, (_, index) => ({
      id: idOf(newest - index),
      createdAt,
      eventType: 'TRANSACTION_CREATE',
      status: 'PENDING',
      httpStatus: null,
      latencyMs: null,
      url: 'https://a.example/',
    }))
    const nextCursor = newest > rows ? String(made - newest + rows) : null
    response.end(JSON.stringify({ items, nextCursor }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { code, out, err, stop } = start(['deliveries', 'tail', '--count', '450', '--url', url, '--json'])
  const limit = setTimeout(stop, 10_000)
  expect(await code).toBe(0)
  clearTimeout(limit)
  expect(out.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
    Array.from({ length: 450 }, (_, index) => idOf(index + 2)),
  )
  expect(err).toEqual([
    '503 UNAVAILABLE: Not now.',
    expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:\d+ \(\w+\)\.$/),
  ])
  service.closeAllConnections()
  service.close()
})

test('recover --wait outlives a failure of the service', async () => {
  const skipped = { acknowledged: 1, pending: 0, scope: 0, erased: 0 }
  const progress = { recoveryId: id, matched: 3, created: 2, skipped }
  let looks = 0
  const service = createServer((request, response) => {
    if (request.method === 'POST') return void response.end(JSON.stringify({ recoveryId: id }))
    looks += 1
    if (looks === 2) return void response.writeHead(503).end('{"code":"UNAVAILABLE","title":"Not now."}')
    response.end(JSON.stringify({ ...progress, state: looks === 1 ? 'RUNNING' : 'DONE' }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { code, out, err } = start(['recover', id, '--since', '1h', '--wait', '--url', url])
  const told = 'DONE: 2 of 3 events are sent. Left out: 1 acknowledged, 0 pending, 0 without scope, 0 erased.'
  expect([await code, out, err]).toEqual([0, [told], ['503 UNAVAILABLE: Not now.']])
  service.closeAllConnections()
  service.close()
})

describe('tail shows a change of a delivery that was made before its start', () => {
  /** A log of deliveries, newest first, as the service lists them. `change` runs before the third request. */
  async function tailOf(log: ReturnType<typeof listed>[], change: () => void, ...more: string[]) {
    let asked = 0
    const service = createServer((request, response) => {
      asked += 1
      if (asked === 3) change()
      const query = new URL(request.url ?? '', 'http://localhost').searchParams
      const [status, after, from] = [query.get('status'), query.get('createdAfter'), Number(query.get('cursor'))]
      const found = log.filter((one) => one.status === (status ?? one.status) && one.createdAt >= (after ?? ''))
      const end = from + Number(query.get('limit'))
      response.end(
        JSON.stringify({ items: found.slice(from, end), nextCursor: end < found.length ? String(end) : null }),
      )
    })
    await once(service.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      service.closeAllConnections()
      service.close()
    })
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const { code, out } = start(['deliveries', 'tail', '--count', '1', '--url', url, '--json', ...more])
    expect(await code).toBe(0)
    return JSON.parse(out.join()) as object
  }
  const at = (second: number) => new Date(Date.UTC(2020, 0, 1) + second * 1000).toISOString()
  const failed = { status: 'FAILED', httpStatus: null }

  test('that ends', async () => {
    const log = [2, 1].map((n) => ({ ...listed(n), createdAt: at(n) }))
    const ended = { ...listed(1), ...failed, createdAt: at(1) }
    expect(await tailOf(log, () => void (log[1] = ended))).toEqual(ended)
  })

  test('that fails, with --status, although a newer one failed before', async () => {
    const log = [3, 2, 1].map((n) => ({ ...listed(n), createdAt: at(n) }))
    log[0] = { ...listed(3), ...failed, createdAt: at(3) }
    const late = { ...listed(1), ...failed, createdAt: at(1) }
    expect(await tailOf(log, () => void (log[2] = late), '--status', 'FAILED')).toEqual(late)
  })

  test('among the newest 200 of many, and prints none of the older ones', async () => {
    // The last of the 200 shares its time with older ones.
    const log = Array.from({ length: 450 }, (_, index) => ({
      ...listed(450 - index),
      createdAt: at(Math.max(0, 199 - index)),
    }))
    const ended = { ...listed(252), ...failed, createdAt: at(1) }
    expect(await tailOf(log, () => void (log[198] = ended))).toEqual(ended)
  })
})
