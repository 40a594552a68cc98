import { once } from 'node:events'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialTcp, type Dial } from '../../src/https/connection.js'
import { createHttpsSender, type HttpsSenderOptions } from '../../src/https/https-sender.js'
import type { NameResolver, Resolution } from '../../src/https/resolver.js'
import { authority, closeServers, issueCertificate, ok, request, send, serve, to } from './sender-fixture.js'

beforeAll(issueCertificate)
afterEach(closeServers)

describe('names and addresses', () => {
  let dialled: string[]
  beforeEach(() => {
    dialled = []
  })
  const noDial: Dial = ({ address }) => {
    dialled.push(address)
    return Promise.reject(new Error('refused'))
  }
  const guarded = (url: string, options: HttpsSenderOptions) => send(url, {}, { policy: {}, dial: noDial, ...options })

  test.each([
    ['http://partner.com/'],
    ['https://127.0.0.1/'],
    ['https://[::1]:8443/'],
    ['https://localhost:8443/'],
    ['https://partner.com:22/'],
    ['https://user@partner.com/'],
    ['https://x.internal/'],
    ['not a url'],
  ])('%s is refused before any name is asked for', async (url) => {
    expect(await guarded(url, {})).toMatchObject({ cause: 'ENDPOINT_NOT_ALLOWED' })
    expect(dialled).toEqual([])
  })

  test.each([
    ['private', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['link-local', ['169.254.169.254']],
    ['loopback IPv6', ['::1']],
    ['mapped', ['::ffff:10.0.0.1']],
    ['public, then private', ['8.8.8.8', '10.0.0.1']],
    ['private, then public', ['10.0.0.1', '8.8.8.8']],
    ['public IPv4, private IPv6', ['8.8.8.8', 'fd00::1']],
    [
      'a thousand public and one private',
      [...Array.from({ length: 1_000 }, (_, n) => `8.8.${n >> 8}.${n & 255}`), '127.0.0.1'],
    ],
    ['no address but text', ['8.8.8.8', 'localhost']],
  ])('a name whose answer is %s is refused, and nothing is dialled', async (_name, addresses) => {
    expect(await guarded('https://partner.com/', { resolve: to(...addresses) })).toMatchObject({
      cause: 'ENDPOINT_NOT_ALLOWED',
      address: null,
    })
    expect(dialled).toEqual([])
  })

  test('the addresses that were vetted are the ones that are dialled, in order, four at most', async () => {
    const addresses = ['8.8.8.8', '2606:2800::1', '8.8.4.4', '1.1.1.1', '9.9.9.9']
    expect(await guarded('https://partner.com/', { resolve: to(...addresses) })).toMatchObject({
      cause: 'CONNECT_FAILED',
      address: '1.1.1.1',
    })
    expect(dialled).toEqual(addresses.slice(0, 4))
  })

  test('both families take turns: the addresses of one can all be out of reach', async () => {
    const addresses = ['8.8.8.8', '8.8.4.4', '1.1.1.1', '9.9.9.9', '2606:2800::1', '2606:2800::2', '2606:2800::3']
    await guarded('https://partner.com/', { resolve: to(...addresses) })
    expect(dialled).toEqual(['8.8.8.8', '2606:2800::1', '8.8.4.4', '2606:2800::2'])
  })

  test('the name is asked for once per attempt, so that a second answer cannot slip in', async () => {
    let asked = 0
    const flipping: NameResolver = () => {
      asked += 1
      return Promise.resolve({ kind: 'addresses', addresses: [asked % 2 === 1 ? '8.8.8.8' : '127.0.0.1'] })
    }
    const sender = createHttpsSender({ resolve: flipping, dial: noDial })
    const causes: unknown[] = []
    for (let n = 0; n < 1_000; n += 1) causes.push((await sender(request('https://partner.com/'))).cause)
    expect(asked).toBe(1_000)
    expect(new Set(dialled)).toEqual(new Set(['8.8.8.8']))
    expect(causes.filter((cause) => cause === 'ENDPOINT_NOT_ALLOWED')).toHaveLength(500)
  })

  test('a socket that is connected to something else than was dialled is dropped before a byte is sent', async () => {
    const server = await serve(ok(), { certificate: await authority.issue({ names: ['partner.com'] }) })
    const closed: Promise<unknown>[] = []
    const elsewhere: Dial = async ({ signal }) => {
      const connection = await dialTcp({ address: '127.0.0.1', port: server.port, signal })
      closed.push(once(connection.socket, 'close'))
      return connection
    }
    const result = await guarded('https://partner.com/', {
      resolve: to('8.8.8.8'),
      dial: elsewhere,
      trustedCa: authority.caPem,
    })
    expect(result).toMatchObject({ cause: 'ENDPOINT_NOT_ALLOWED', address: '8.8.8.8', timings: { tlsMs: null } })
    expect(await Promise.all(closed)).toHaveLength(1)
    expect(server.requests).toEqual([])
  })

  test('a public name is reached at its vetted address with its own name in TLS and Host', async () => {
    const server = await serve(ok(), { certificate: await authority.issue({ names: ['partner.com'] }) })
    const asIfPublic: Dial = async ({ signal }) => ({
      ...(await dialTcp({ address: '127.0.0.1', port: server.port, signal })),
      remoteAddress: '::ffff:8.8.8.8',
    })
    const result = await guarded('https://partner.com/hooks', {
      resolve: to('8.8.8.8'),
      dial: asIfPublic,
      trustedCa: authority.caPem,
    })
    expect(result).toMatchObject({ cause: null, status: 200, address: '8.8.8.8' })
    expect(server.requests[0]).toContain('\r\nhost: partner.com\r\n')
  })

  test('the local authority is not trusted for public names', async () => {
    const server = await serve(ok(), { certificate: await authority.issue({ names: ['partner.com'] }) })
    const asIfPublic: Dial = async ({ signal }) => ({
      ...(await dialTcp({ address: '127.0.0.1', port: server.port, signal })),
      remoteAddress: '8.8.8.8',
    })
    const policy = { allowLoopback: { caPem: authority.caPem } }
    const result = await guarded('https://partner.com/', { policy, resolve: to('8.8.8.8'), dial: asIfPublic })
    expect(result).toMatchObject({ cause: 'TLS_FAILED' })
  })

  test('an operator may narrow the addresses further', async () => {
    const isAllowedAddress = (address: string) => address !== '8.8.8.8'
    expect(await guarded('https://partner.com/', { resolve: to('8.8.8.8'), isAllowedAddress })).toMatchObject({
      cause: 'ENDPOINT_NOT_ALLOWED',
    })
  })

  test('a resolver that says nothing at all is no address', async () => {
    expect(await guarded('https://partner.com/', { resolve: to() })).toMatchObject({ cause: 'DNS_FAILED' })
  })
})

describe('names that do not resolve', () => {
  const answers = (byName: Readonly<Record<string, Resolution['kind']>>): NameResolver => {
    return (name) => {
      asked.push(name)
      const kind = byName[name] ?? 'not_found'
      return Promise.resolve(kind === 'addresses' ? { kind, addresses: ['8.8.8.8'] } : { kind })
    }
  }
  let asked: string[]
  beforeEach(() => {
    asked = []
  })

  test('one that does not exist is the failure of its owner, and nothing else is asked', async () => {
    const resolve = answers({ 'partner.com': 'not_found' })
    expect(await send('https://partner.com/', {}, { resolve })).toMatchObject({ cause: 'DNS_FAILED' })
    expect(asked).toEqual(['partner.com'])
  })

  test('one whose servers do not answer is the failure of its owner while a well-known name resolves', async () => {
    const resolve = answers({ 'partner.com': 'unavailable', 'example.com': 'addresses' })
    expect(await send('https://partner.com/', {}, { resolve })).toMatchObject({ cause: 'DNS_FAILED' })
    expect(asked).toEqual(['partner.com', 'example.com'])
  })

  test.each(['unavailable', 'not_found'] as const)('it is ours while the well-known name is %s too', async (kind) => {
    const resolve = answers({ 'partner.com': 'unavailable', 'status.kyc-relay.com': kind })
    const result = await send('https://partner.com/', {}, { resolve, wellKnownName: 'status.kyc-relay.com' })
    expect(result).toMatchObject({ cause: 'RESOLVER_DOWN' })
  })

  test('without a well-known name it is always theirs', async () => {
    const resolve = answers({ 'partner.com': 'unavailable' })
    expect(await send('https://partner.com/', {}, { resolve, wellKnownName: null })).toMatchObject({
      cause: 'DNS_FAILED',
    })
  })

  test('a resolver that throws ends the attempt, not the caller', async () => {
    const result = await send('https://partner.com/', {}, { resolve: () => Promise.reject(new Error('canary')) })
    expect(result.cause).toBe('INTERNAL_ERROR')
    expect(JSON.stringify(result)).not.toContain('canary')
  })
})
