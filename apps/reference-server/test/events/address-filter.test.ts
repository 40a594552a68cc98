import type { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { createAddressFilter } from '../../src/events/address-filter.js'

const interfacesOf = (...addresses: string[]) =>
  (() => ({ eth0: addresses.map((address) => ({ address })) })) as unknown as typeof networkInterfaces

it.each([
  ['8.8.4.4', true],
  ['8.8.8.8', false],
  ['::ffff:8.8.8.8', false],
  ['2001:4860:4860::8844', true],
  ['2001:4860:4860:0:0:0:0:8888', false],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
  ['no address', false],
])('may %s be reached from a machine that has 8.8.8.8 and 2001:4860:4860::8888: %s', (address, expected) => {
  const check = createAddressFilter(interfacesOf('8.8.8.8', '2001:4860:4860::8888', 'fe80::1'))
  expect(check(address)).toBe(expected)
})

it('an address that the machine gets later is found out within a minute', () => {
  let now = 0
  const addresses = ['10.0.0.5']
  const check = createAddressFilter(
    () => interfacesOf(...addresses)(),
    () => now,
  )
  expect(check('8.8.8.8')).toBe(true)
  addresses.push('8.8.8.8')
  now = 60_000
  expect(check('8.8.8.8')).toBe(false)
})
