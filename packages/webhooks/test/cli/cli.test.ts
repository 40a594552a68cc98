import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventTypes, signWebhook, verifyStandardWebhook, verifyWebhook } from '@kyc-relay/webhooks'
import { run } from '../../src/cli/run.js'
import type { Terminal } from '../../src/cli/command.js'
import { createTestAuthority, type TestAuthority } from '../https/local/certificates.js'

const apiKey = 'kyc_key_of_the_demo'
const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-cli-'))
const path = (name: string) => join(folder, name)
const write = (name: string, text: string) => {
  writeFileSync(path(name), text)
  chmodSync(path(name), 0o600)
  return path(name)
}
/** A file that holds this key. */
const keyFile = (key: string) => write(`${key}.key`, key)

beforeAll(async () => {
  const authority = await createTestAuthority()
  const { certPem, keyPem } = await authority.issue({ names: ['localhost'] })
  write(
    'demo.json',
    JSON.stringify({
      caFile: write('ca.pem', authority.caPem),
      receiverCertFile: write('cert.pem', certPem),
      receiverKeyFile: write('key.pem', keyPem),
      apps: [{ apiKey }, { apiKey: 'the second app' }],
    }),
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

const stops: AbortController[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort()
})

function terminalOf(more: { env?: Record<string, string>; stdin?: string; colours?: boolean } = {}) {
  const out: string[] = []
  const err: string[] = []
  const stop = new AbortController()
  stops.push(stop)
  const listeners: (() => void)[] = []
  const terminal: Terminal = {
    env: more.env ?? {},
    stdin: (async function* () {
      await Promise.resolve()
      yield Buffer.from(more.stdin ?? '')
    })(),
    out: (text) => {
      out.push(text)
      for (const listener of listeners.splice(0)) listener()
    },
    err: (text) => void err.push(text),
    colours: more.colours ?? false,
    stopped: stop.signal,
    now: () => new Date('2026-03-02T15:04:05.678Z'),
  }
  const printed = async (lines: number) => {
    while (out.length < lines) await new Promise<void>((resolve) => listeners.push(resolve))
    return out
  }
  return { terminal, out, err, printed, stop: () => stop.abort() }
}

async function cli(args: readonly string[], more: Parameters<typeof terminalOf>[0] = {}) {
  const { terminal, out, err } = terminalOf(more)
  return { code: await run(args, terminal), out: out.join('\n'), err: err.join('\n') }
}

test('--version tells the version of the package', async () => {
  const manifest = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  expect(await cli(['--version'])).toEqual({ code: 0, out: version, err: '' })
})

describe('help', () => {
  test('fits 80 columns', async () => {
    const { out } = await cli(['--help'])
    const names = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '')
    expect(names).toHaveLength(8)
    const texts = [out, ...(await Promise.all(names.map(async (name) => (await cli([name, '--help'])).out)))]
    expect(texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 80)).toEqual([])
  })

  test.each([['--help'], ['-h'], ['help']])('%s lists the commands', async (arg) => {
    const { code, out } = await cli([arg])
    expect(code).toBe(0)
    for (const command of ['listen', 'trigger', 'sign', 'verify']) expect(out).toContain(command)
  })
  test.each(['listen', 'trigger', 'sign', 'verify', 'endpoints', 'deliveries', 'recover', 'profile'])(
    '%s --help has examples and every option of the command',
    async (command) => {
      const { code, out } = await cli([command, '--help'])
      expect(code).toBe(0)
      expect(out).toContain('Examples:\n  kyc-webhooks')
      expect(out).toMatch(/--json/)
      expect(/--secret-file/.test(out)).toBe(['listen', 'trigger', 'sign', 'verify'].includes(command))
    },
  )
  test('without a command it exits 2, with the help on standard error', async () => {
    expect(await cli([])).toEqual({ code: 2, out: '', err: expect.stringContaining('Usage: kyc-webhooks') as string })
    expect(await cli(['lisen'])).toMatchObject({ code: 2, err: expect.stringContaining('Known: listen') as string })
    // The certificate of the local demo would be used in silence.
    const half = await cli(['listen', '--data-dir', folder, '--cert', keyFile('k')])
    expect(half).toMatchObject({ code: 2, err: 'Give --cert and --key together.' })
    expect((await cli(['constructor'])).code).toBe(2)
  })
})

describe('mistakes in the command line exit with 2 and one line', () => {
  test.each([
    [['sign', '--nope']],
    [['sign', '--secret', 'k']],
    [['sign']],
    [['sign', '/nowhere', '--secret-file', keyFile('k')]],
    [['sign', '--secret-file', '/nowhere']],
    [['sign', '--secret-env', 'UNSET']],
    [['sign', '--data-dir', '/nowhere']],
    [['verify', '--secret-file', keyFile('k')]],
    [['verify', '--secret-file', keyFile('k'), '--signature', 'x', '--framework', 'rails']],
    [['trigger', 'NOPE', '--url', 'https://localhost/', '--secret-file', keyFile('k')]],
    [['trigger', 'TRANSACTION_CREATE', '--secret-file', keyFile('k')]],
    [['trigger', 'TRANSACTION_CREATE', '--url', 'ftp://localhost/', '--secret-file', keyFile('k')]],
    [['trigger', 'TRANSACTION_CREATE', '--url', 'https://localhost/', '--secret-file', keyFile('k'), '--times', '-1']],
    [
      [
        'trigger',
        'TRANSACTION_CREATE',
        '--url',
        'https://localhost/',
        '--secret-file',
        keyFile('k'),
        '--set',
        'amount',
      ],
    ],
    [['listen', '--secret-file', keyFile('k')]],
    [['sign', '--secret-file', write('blank.key', ' \n')]],
    [['listen', '--data-dir', folder, '--from-start']],
    [['listen', '--data-dir', folder, '--profile', 'mine']],
    [['listen', '--data-dir', folder, '--respond', '99']],
    [['listen', '--data-dir', folder, '--respond', '200,what']],
    [['listen', '--data-dir', folder, '--duplicates', '2']],
    [['listen', '--data-dir', folder, '--port', '70000']],
    [['listen', '--data-dir', folder, '--forward', 'localhost:3000']],
    [['listen', '--data-dir', folder, '--forward', 'http://']],
    [['listen', '--data-dir', folder, '--count', '0']],
    [['listen', '--secret-file', keyFile('k'), '--cert', write('not-pem.txt', '{}'), '--key', path('not-pem.txt')]],
    [['sign', path('not-pem.txt'), 'another', '--secret-file', keyFile('k')]],
    [['sign', path('not-pem.txt'), '--secret-env', 'A', '--secret-file', path('not-pem.txt')]],
    [['verify', path('not-pem.txt'), 'another', '--secret-file', keyFile('k'), '--signature', 'x']],
    [['verify', path('not-pem.txt'), '--secret-file', keyFile('k'), '--signature', 'x', '--content-length', 'many']],
    [['trigger', 'TRANSACTION_CREATE', 'another', '--url', 'https://localhost/', '--secret-file', keyFile('k')]],
    [['trigger', 'TRANSACTION_CREATE', '--url', 'https://localhost/', '--secret-file', keyFile('k'), '--times', '0']],
    [['trigger', 'TRANSACTION_CREATE', '--url', 'https://localhost/', '--secret-file', keyFile('k'), '--timeout', '0']],
    ...[
      ['--event-id', 'a\nb'],
      ['--event-id', '\u6f22'],
      ['--set', 'amount=1e400'],
    ].map((wrong) => [
      ['trigger', 'TRANSACTION_CREATE', '--url', 'https://localhost/', '--secret-file', keyFile('k'), ...wrong],
    ]),
  ])('%j', async (args) => {
    const { code, out, err } = await cli(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')).toHaveLength(1)
  })
})

test.each(['secret-file', 'secret-env', 'data-dir'])(
  'an empty --%s is not absent: no other key signs',
  async (option) => {
    const { code, out } = await cli(['sign', `--${option}`, ''], { env: { KYC_RELAY_API_KEY: 'k' }, stdin: '{}' })
    expect([code, out]).toEqual([2, ''])
  },
)

test('a demo.json without an API key is a mistake: no other key signs', async () => {
  const empty = mkdtempSync(join(folder, 'demo-'))
  writeFileSync(join(empty, 'demo.json'), '{"apps":[]}')
  const { code, out, err } = await cli(['sign', '--data-dir', empty], { env: { KYC_RELAY_API_KEY: 'k' }, stdin: '{}' })
  expect([code, out, err]).toEqual([2, '', `${join(empty, 'demo.json')} has no API key.`])
})

describe('what is advised', () => {
  test('another port is for a port that is taken, not for a host that does not exist', async () => {
    const { code, err } = await cli(['listen', '--data-dir', folder, '--port', '0', '--host', '999.1.1.1'])
    expect([code, err]).toEqual([2, expect.stringMatching(/^Cannot listen on 999\.1\.1\.1: \w+\.$/)])
  })

  test.each(['port', 'duplicates', 'respond', 'secret-file'])('--%s has no effect on the feed', async (option) => {
    const { code, err } = await cli(['listen', '--from-feed', '--forward', 'http://127.0.0.1:9/', `--${option}`, '1'])
    expect([code, err]).toEqual([2, `--from-feed takes no --${option}.`])
  })

  test.each(['sign', 'verify', 'trigger', 'listen'])('%s says what its exit codes mean', async (command) => {
    expect((await cli([command, '--help'])).out).toMatch(/^Exit code: 0 .*, 2 a mistake in\sthe command line\.$/ms)
  })
})

describe('sign', () => {
  test.each([
    ['a file', ['--secret-file', write('secret.txt', 'k\n')], {}],
    ['the usual variable', [], { KYC_RELAY_API_KEY: 'k' }],
    ['a named variable', ['--secret-env', 'MINE'], { MINE: 'k', KYC_RELAY_API_KEY: 'other' }],
  ])('takes the secret from %s', async (_name, args, env) => {
    expect(await cli(['sign', ...args], { env, stdin: '{"a":1}' })).toEqual({
      code: 0,
      out: await signWebhook('{"a":1}', 'k'),
      err: '',
    })
  })

  test('takes the secret of the demo rather than a variable that happens to be set', async () => {
    const { out } = await cli(['sign', write('body.json', 'bytes\r\n'), '--data-dir', folder, '--json'], {
      env: { KYC_RELAY_API_KEY: 'x' },
    })
    expect(JSON.parse(out)).toEqual({ signature: await signWebhook('bytes\r\n', apiKey), bodyBytes: 7 })
  })
})

describe('verify', () => {
  test('says that it verifies', async () => {
    const signature = await signWebhook('{}', 'k')
    expect(
      await cli(['verify', '--signature', signature, '--secret-file', keyFile('k')], { stdin: '{}' }),
    ).toMatchObject({
      code: 0,
      out: 'The webhook verifies.',
    })
    expect(
      await cli(['verify', '--signature', signature, '--secret-file', keyFile('k'), '--json'], { stdin: '{}' }),
    ).toMatchObject({
      code: 0,
      out: '{"verified":true}',
    })
  })

  test('explains what does not, with the line to change, and prints neither secret nor signature', async () => {
    const signature = await signWebhook('{"a":1}', 'k-secret')
    const args = ['verify', '--signature', signature, '--secret-file', keyFile('k-secret'), '--framework', 'express']
    const { code, out } = await cli(args, { stdin: '{ "a": 1 }' })
    expect(code).toBe(1)
    expect(out).toContain('BODY_RESERIALISED')
    expect(out).toContain('express.raw(')
    expect(out).not.toMatch(/k-secret|[0-9a-f]{64}/)
    const json = await cli([...args, '--json'], { stdin: '{"a":1}\n' })
    expect(JSON.parse(json.out)).toMatchObject({
      verified: false,
      diagnosis: { cause: 'BODY_NEWLINE_ADDED', confidence: 'proved' },
    })
  })

  test('has colours on a terminal only', async () => {
    const args = ['verify', '--signature', 'x', '--secret-file', keyFile('k')]
    expect((await cli(args, { stdin: '{}', colours: true })).out).toContain('\u001B[31m')
    expect((await cli(args, { stdin: '{}' })).out).not.toContain('\u001B')
  })
})

interface Incoming {
  readonly body: Buffer
  readonly headers: IncomingMessage['headers']
}

async function receiver(answer: (response: ServerResponse, count: number) => void) {
  const incoming: Incoming[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      incoming.push({ body: Buffer.concat(chunks as Buffer[]), headers: request.headers })
      answer(response, incoming.length)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push({ abort: () => server.close(), signal: new AbortController().signal })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, incoming }
}

describe('trigger', () => {
  const send = (url: string, ...args: string[]) =>
    cli(['trigger', 'WIDGET_DEPOSIT_COMPLETE', '--url', url, '--secret-file', keyFile('k'), ...args])

  test('sends an example that a receiver accepts', async () => {
    const { url, incoming } = await receiver((response) => response.writeHead(204).end())
    expect(await send(url)).toMatchObject({ code: 0, out: expect.stringContaining('204') as string })
    const [only] = incoming
    if (!only) throw new Error('nothing came')
    expect(await verifyWebhook({ ...only, secrets: 'k' })).toMatchObject({
      type: 'WIDGET_DEPOSIT_COMPLETE',
      test: false,
      event: { amount: 100.5 },
    })
    expect(only.headers['content-type']).toBe('application/json')
  })

  test('sends an event type of your own, from a module', async () => {
    const { url, incoming } = await receiver((response) => response.writeHead(204).end())
    const schema = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }`
    const type = (name: string) => `{ name: '${name}', schema, scopes: ['A'], example: { orderId: 'o1', box_2: 1 } }`
    const module = (name: string, exported: string) => write(name, `const schema = ${schema}\nexport ${exported}`)
    const trigger = (...args: string[]) =>
      cli(['trigger', 'ORDER_SHIPPED', '--url', url, '--secret-file', keyFile('k'), ...args])
    const good = module('event-types.mjs', `const eventTypes = [${type('ORDER_SHIPPED')}]`)
    const changed = ['orderId=o2', 'box_2=7', '__proto__=x'].flatMap((change) => ['--set', change])
    expect(await trigger('--event-types', good, ...changed)).toMatchObject({ code: 0 })
    const body = incoming[0]?.body.toString() ?? ''
    expect(JSON.parse(body)).toMatchObject({ eventType: 'ORDER_SHIPPED', orderId: 'o2', box_2: 7 })
    expect(body).toContain('"__proto__":"x"')
    const byDefault = module('default.mjs', `default [${type('ORDER_SHIPPED')}]`)
    expect(await trigger('--event-types', byDefault)).toMatchObject({ code: 0 })
    const reserved = module('reserved.mjs', `const eventTypes = [${type('TRANSACTION_CREATE')}]`)
    expect(await trigger('--event-types', reserved)).toMatchObject({
      code: 2,
      err: expect.stringContaining('/0/name') as string,
    })
    const without = module('without.mjs', 'const other = 1')
    expect(await trigger('--event-types', without)).toMatchObject({
      code: 2,
      err: expect.stringContaining('that exports eventTypes') as string,
    })
    const broken = write('broken.mjs', `import 'not-installed'\nexport const eventTypes = [${type('ORDER_SHIPPED')}]`)
    for (const file of [path('missing.mjs'), broken])
      expect(await trigger('--event-types', file)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^Cannot load .*\.mjs: \w+\.$/) as string,
      })
    expect(await trigger()).toMatchObject({ code: 2 })
  })

  test.each([
    ['amount=abc', '--set amount takes a value of type number, as JSON.'],
    ['amount="1"', '--set amount takes a value of type number, as JSON.'],
    ['amout=1', 'The example has no field amout. Did you mean amount?'],
    ['amount', '--set takes FIELD=VALUE, for example --set amount=12.5.'],
  ])('refuses --set %s', async (change, text) => {
    const args = [
      'trigger',
      'TRANSACTION_CREATE',
      '--url',
      'https://localhost:1/',
      '--secret-file',
      keyFile('k'),
      '--set',
      change,
    ]
    const { code, err } = await cli(args)
    expect([code, err]).toEqual([2, text])
  })

  test('sends duplicates, changed fields, test events and Standard Webhooks headers', async () => {
    const { url, incoming } = await receiver((response) => response.end('ok'))
    const args = [
      '--times',
      '3',
      '--set',
      'amount=0.01',
      '--set',
      'externalReferenceId=text',
      '--test',
      '--standard-webhooks',
      '--event-id',
      'mine',
      '--json',
    ]
    const { code, out } = await send(url, ...args)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      eventId: 'mine',
      answers: Array.from({ length: 3 }, () => ({ status: 200, body: 'ok' })),
    })
    expect(incoming).toHaveLength(3)
    for (const { body, headers } of incoming) {
      expect(headers['x-test-event']).toBe('true')
      expect(
        await verifyStandardWebhook({ body, headers, secrets: 'k', now: new Date('2026-03-02T15:04:05Z') }),
      ).toMatchObject({
        eventId: 'mine',
        test: true,
        event: { amount: 0.01, externalReferenceId: 'text' },
      })
    }
  })

  test('exits 1 when the answer is no success, a redirect included, or when there is none', async () => {
    const { url } = await receiver((response, count) => {
      if (count === 1) response.writeHead(500).end('\u001B[2Joops')
      else if (count === 2) response.writeHead(302, { location: url }).end()
      else response.destroy()
    })
    const first = await send(url)
    expect(first.code).toBe(1)
    expect(first.out).toMatch(/ 500 \\u001b\[2Joops$/)
    expect((await send(url)).code).toBe(1)
    expect(await send(url)).toMatchObject({ code: 1, out: expect.stringContaining('no answer') as string })
  })

  test('exits 1 when the receiver switches protocols', async () => {
    const { url } = await receiver((response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    })
    expect(await send(url, '--json')).toMatchObject({ code: 1, out: expect.stringContaining('"status":101') as string })
  })

  test('takes the status of an answer whose body does not end in time', async () => {
    const { url } = await receiver((response) => response.writeHead(200).write('begun'))
    expect(await send(url, '--timeout', '1000')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ 200 begun$/) as string,
    })
  })

  test('says that no response came in time', async () => {
    const { url } = await receiver(() => undefined)
    expect(await send(url, '--timeout', '50')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/ no answer no response in time$/) as string,
    })
  })

  test('prints what was answered as it is, and nothing after a status without a body', async () => {
    const json = await receiver((response) => response.end('{"received":true}\n'))
    expect((await send(json.url)).out).toMatch(/ 200 \{"received":true\}$/)
    const empty = await receiver((response) => response.writeHead(204).end())
    expect((await send(empty.url)).out).toMatch(/ 204$/)
  })

  test('says what may be wrong when nobody answers', async () => {
    const closed = await receiver(() => undefined)
    const { port } = new URL(closed.url)
    expect((await send(`https://127.0.0.1:${port}/`)).out).toMatch(/EPROTO: .*http:\/\/|ECONNRESET: .*http:\/\//)
    for (const stop of stops.splice(0)) stop.abort()
    expect((await send(closed.url)).out).toContain('no server listens on this port')
  })

  const dayMs = 86_400_000
  test.each<[string, Parameters<TestAuthority['issue']>[0]]>([
    ['CERT_HAS_EXPIRED', { notBefore: new Date(Date.now() - 2 * dayMs), notAfter: new Date(Date.now() - dayMs) }],
    ['CERT_NOT_YET_VALID', { notBefore: new Date(Date.now() + dayMs), notAfter: new Date(Date.now() + 2 * dayMs) }],
    ['ERR_TLS_CERT_ALTNAME_INVALID', { names: ['another.example'] }],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', {}],
  ])('%s: advises --ca only if an authority helps', async (code, options) => {
    const isUntrusted = code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
    const authority = await createTestAuthority()
    const { certPem: cert, keyPem: key } = await authority.issue(options)
    const server = createTlsServer({ cert, key }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push({ abort: () => server.close(), signal: new AbortController().signal })
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`
    const ca = isUntrusted ? [] : ['--ca', write('own-ca.pem', authority.caPem)]
    const { out } = await send(url, ...ca)
    expect(out).toContain(` no answer ${code}: `)
    expect(out.includes('--ca')).toBe(isUntrusted)
  })

  test('every event type', async () => {
    const { url, incoming } = await receiver((response) => response.end())
    for (const type of eventTypes) {
      await cli(['trigger', type, '--url', url, '--secret-file', keyFile('k')])
      const last = incoming.at(-1)
      if (!last) throw new Error('nothing came')
      expect((await verifyWebhook({ ...last, secrets: 'k' })).type).toBe(type)
    }
  })
})

describe('listen', () => {
  async function listening(...args: string[]) {
    const { terminal, out, printed, stop } = terminalOf()
    const exit = run(['listen', '--data-dir', folder, '--port', '0', '--json', ...args], terminal)
    const [first = ''] = await printed(1)
    const { listening: url } = JSON.parse(first) as { listening: string }
    const trigger = (...more: string[]) =>
      cli(['trigger', 'TRANSACTION_UPDATE', '--url', url, '--data-dir', folder, '--json', ...more])
    const lines = () => out.slice(1).map((line) => JSON.parse(line) as Record<string, unknown>)
    return { url, exit, out, printed, stop, trigger, lines }
  }

  test('takes what trigger sends over HTTPS with the local CA, and stops when told', async () => {
    const { trigger, printed, lines, stop, exit } = await listening()
    expect(await trigger('--event-id', 'one')).toMatchObject({ code: 0 })
    await printed(2)
    expect(lines()).toMatchObject([
      {
        verified: true,
        type: 'TRANSACTION_UPDATE',
        eventId: 'one',
        test: false,
        duplicate: false,
        answered: 200,
        event: { status: 'SETTLED' },
      },
    ])
    stop()
    expect(await exit).toBe(0)
  })

  test('is refused by a client that does not trust the local CA', async () => {
    const { url } = await listening()
    const { code, out } = await cli(['trigger', 'TRANSACTION_UPDATE', '--url', url, '--secret-file', keyFile(apiKey)])
    expect(code).toBe(1)
    expect(out).toContain('--ca')
  })

  test('refuses what is forged, and explains', async () => {
    const { url, lines, printed } = await listening()
    await cli([
      'trigger',
      'TRANSACTION_UPDATE',
      '--url',
      url,
      '--ca',
      path('ca.pem'),
      '--secret-file',
      keyFile(`"${apiKey}"`),
      '--json',
    ])
    await printed(2)
    expect(lines()).toMatchObject([
      { verified: false, code: 'SIGNATURE_MISMATCH', answered: 401, diagnosis: { cause: 'UNEXPLAINED' } },
    ])
  })

  test('answers failures on demand, the last answer for ever, and marks duplicates', async () => {
    const { trigger, exit, lines } = await listening('--respond', '500,503,200', '--count', '4')
    const statuses: unknown[] = []
    for (let i = 0; i < 4; i++) {
      const { out } = await trigger('--event-id', 'one')
      statuses.push((JSON.parse(out) as { answers: { status: number }[] }).answers[0]?.status)
    }
    expect(statuses).toEqual([500, 503, 200, 200])
    expect(await exit).toBe(0)
    expect(lines().map(({ duplicate }) => duplicate)).toEqual([false, true, true, true])
  })

  test('drops the connection on demand, having taken the event', async () => {
    const { trigger, lines, printed } = await listening('--respond', 'drop,200')
    expect(await trigger()).toMatchObject({ code: 1 })
    expect(await trigger()).toMatchObject({ code: 0 })
    await printed(3)
    expect(lines().map(({ answered }) => answered)).toEqual([null, 200])
  })

  test('delays answers on demand', async () => {
    const { url, stop, exit } = await listening('--delay', '600000')
    const { code, out } = await cli([
      'trigger',
      'TRANSACTION_UPDATE',
      '--url',
      url,
      '--data-dir',
      folder,
      '--timeout',
      '300',
      '--json',
    ])
    expect(code).toBe(1)
    expect(out).toContain('"status":null')
    stop()
    await exit
  })

  test.each([
    ['says nothing, as those that a browser opens in advance', true, ''],
    ['does not begin with TLS', false, ''],
    ['sends no body', true, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n'],
  ])('stops at once beside a connection that %s', async (_what, isTls, text) => {
    const { url, stop, exit } = await listening()
    const port = Number(new URL(url).port)
    const socket = isTls
      ? connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(path('ca.pem')) })
      : connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, isTls ? 'secureConnect' : 'connect')
    socket.write(text)
    // The server asks for the body, so the request has arrived.
    if (text !== '') await once(socket, 'data')
    const closed = new Promise((resolve) => socket.resume().once('close', resolve))
    stop()
    expect(await exit).toBe(0)
    await closed
  })

  test('forwards to a receiver on this machine, with duplicates on demand, and answers what it answers', async () => {
    const { url: forwardTo, incoming } = await receiver((response) => response.writeHead(418).end())
    const { trigger, lines, printed } = await listening('--forward', forwardTo, '--duplicates', '2')
    const { out } = await trigger('--event-id', 'one')
    expect(JSON.parse(out)).toMatchObject({ answers: [{ status: 418 }] })
    await printed(2)
    expect(lines()).toMatchObject([{ forwarded: [418, 418, 418], answered: 418 }])
    expect(incoming).toHaveLength(3)
    for (const one of incoming)
      expect(await verifyWebhook({ ...one, secrets: apiKey })).toMatchObject({ eventId: 'one' })
  })

  test('answers what it has forwarded before it stops', async () => {
    let answer = () => {}
    const { url: forwardTo, incoming } = await receiver((response) => {
      answer = () => void response.writeHead(418).end()
    })
    const { trigger, stop, exit } = await listening('--forward', forwardTo)
    const triggered = trigger('--event-id', 'one')
    await expect.poll(() => incoming.length).toBe(1)
    stop()
    answer()
    expect((await triggered).out).toContain('"status":418')
    expect(await exit).toBe(0)
  })

  test('forwards the static headers of the endpoint, and nothing of the connection', async () => {
    const { url: forwardTo, incoming } = await receiver((response) => response.writeHead(204).end())
    const { url, printed } = await listening('--forward', forwardTo)
    const body = '{"eventType":"WIDGET_KYC_INITIATION"}'
    const own = { authorization: 'Bearer example', 'x-tenant': 'one', cookie: 'a=b' }
    const { request } = await import('node:https')
    const signed = { 'x-event-id': 'one', 'x-hmac-signature': await signWebhook(body, apiKey) }
    const headers = { ...own, ...signed, 'transfer-encoding': 'chunked', te: 'trailers', connection: 'te' }
    request(url, { method: 'POST', ca: readFileSync(path('ca.pem')), headers }).end(body)
    await printed(2)
    expect(incoming[0]?.headers).toMatchObject({ ...own, ...signed, host: new URL(forwardTo).host })
    expect(Object.keys(incoming[0]?.headers ?? {})).not.toContain('te')
    expect(Object.keys(incoming[0]?.headers ?? {})).not.toContain('transfer-encoding')
  })

  test('prints an IPv6 address in brackets', async () => {
    const { terminal, printed } = terminalOf()
    void run(['listen', '--data-dir', folder, '--port', '0', '--host', '::'], terminal)
    const [first = ''] = await printed(1)
    expect(first).toMatch(/https:\/\/\[::\]:\d+\//)
  })

  test('prints for people, with nothing in it that commands a terminal', async () => {
    const { terminal, printed } = terminalOf()
    void run(['listen', '--data-dir', folder, '--port', '0'], terminal)
    const [first = ''] = await printed(1)
    const url = /https:\S+/.exec(first)?.[0] ?? ''
    await cli([
      'trigger',
      'TRANSACTION_UPDATE',
      '--url',
      url,
      '--data-dir',
      folder,
      '--set',
      'note=a\u001B[2J\u009B2J\u202Eb',
      '--test',
    ])
    const [, event = ''] = await printed(2)
    expect(event).toContain('verified TRANSACTION_UPDATE')
    expect(event).toContain('test event')
    expect(event).toContain('"note": "a\\u001b[2J\\u009b2J\\u202eb"')
    for (const character of ['\u001B', '\u009B', '\u202E']) expect(event).not.toContain(character)
  })

  test('says so when the port is taken', async () => {
    const { url } = await listening()
    const { code, err } = await cli(['listen', '--data-dir', folder, '--port', new URL(url).port])
    expect(code).toBe(2)
    expect(err).toContain('EADDRINUSE')
  })

  test('answers 405 to other methods', async () => {
    const { url } = await listening()
    const { request } = await import('node:https')
    const { readFileSync } = await import('node:fs')
    const get = request(url, { method: 'GET', ca: readFileSync(path('ca.pem')) }).end()
    const [response] = (await once(get, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(405)
    response.resume()
  })
})
