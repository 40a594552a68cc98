import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNameResolver } from '../../src/https/resolver.js'
import { startNameServer } from './local/name-server.js'

let names: Awaited<ReturnType<typeof startNameServer>>

beforeAll(async () => {
  names = await startNameServer({
    'both.partner.com': { a: ['8.8.8.8', '8.8.4.4'], aaaa: ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'] },
    'ipv4.partner.com': { a: ['8.8.8.8'] },
    'ipv6.partner.com': { aaaa: ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'] },
    'nothing.partner.com': {},
    'private.partner.com': { a: ['10.0.0.1'] },
    'failing.partner.com': { code: 2 },
    'refused.partner.com': { code: 5 },
    'loop.partner.com': { cname: 'loop.partner.com' },
    'silent.partner.com': 'silence',
    // More would not fit into one datagram; a thousand are a matter of the sender's tests.
    'many.partner.com': { a: Array.from({ length: 25 }, (_, index) => `8.8.8.${index}`) },
  })
})
afterAll(() => names.close())

const resolve = (name: string, timeoutMs = 2_000) => createNameResolver({ timeoutMs, servers: [names.server] })(name)

test.each([
  ['both.partner.com', ['8.8.8.8', '8.8.4.4', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
  ['ipv4.partner.com', ['8.8.8.8']],
  ['ipv6.partner.com', ['2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
  ['private.partner.com', ['10.0.0.1']],
  ['many.partner.com', Array.from({ length: 25 }, (_, index) => `8.8.8.${index}`)],
])('%s has its addresses of both families', async (name, addresses) => {
  expect(await resolve(name)).toEqual({ kind: 'addresses', addresses })
})

test.each(['unknown.partner.com', 'nothing.partner.com'])('%s is not found', async (name) => {
  expect(await resolve(name)).toEqual({ kind: 'not_found' })
})

test.each(['failing.partner.com', 'refused.partner.com'])('%s is unavailable', async (name) => {
  expect(await resolve(name)).toEqual({ kind: 'unavailable' })
})

test('a name that only leads to itself has no address', async () => {
  expect((await resolve('loop.partner.com')).kind).not.toBe('addresses')
})

test('a server that says nothing is given up in time', async () => {
  expect(await resolve('silent.partner.com', 150)).toEqual({ kind: 'unavailable' })
})

test('no search domain is tried', async () => {
  names.asked.length = 0
  await resolve('unknown.partner.com')
  expect(new Set(names.asked)).toEqual(new Set(['unknown.partner.com']))
})

test('names resolve while the thread pool is full', async () => {
  // `getaddrinfo` would wait for one of the four threads, all of which are busy for longer than this.
  let finished = 0
  const busy = Array.from({ length: 8 }, async () => {
    await promisify(pbkdf2)('password', 'salt', 400_000, 64, 'sha512')
    finished += 1
  })
  expect((await resolve('ipv4.partner.com')).kind).toBe('addresses')
  expect(finished).toBe(0)
  await Promise.all(busy)
})

test('a server that nobody runs is unavailable', async () => {
  const nobody = await startNameServer({})
  await nobody.close()
  expect(await createNameResolver({ timeoutMs: 300, servers: [nobody.server] })('partner.com')).toEqual({
    kind: 'unavailable',
  })
})
