import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { isIpAddress, isPublicAddress, isSameAddress } from '../../src/https/address-policy.js'

// An oracle of its own making: addresses as big integers, blocks straight from the registries.

interface Block {
  readonly text: string
  readonly first: bigint
  readonly last: bigint
}

const widthOf = (family: 4 | 6) => (family === 4 ? 32n : 128n)

function toInteger(address: string): bigint {
  if (address.includes(':')) {
    const [head = '', tail] = address.split('::')
    const groups = (text: string) => (text === '' ? [] : text.split(':'))
    const [left, right] = [groups(head), groups(tail ?? '')]
    const filled =
      tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
    return filled.reduce((sum, group) => (sum << 16n) | BigInt(Number.parseInt(group, 16)), 0n)
  }
  return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

function toText(value: bigint, family: 4 | 6): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(':')
}

function toBlock(text: string): Block {
  const [address = '', bits = ''] = text.split('/')
  const size = 1n << (widthOf(text.includes(':') ? 6 : 4) - BigInt(bits))
  const first = toInteger(address)
  return { text, first, last: first + size - 1n }
}

function registry(family: 4 | 6): readonly Block[] {
  const csv = readFileSync(new URL(`../fixtures/iana-ipv${family}-special-registry.csv`, import.meta.url), 'utf8')
  // A cell holds one block or two, with footnote marks.
  const cells = csv
    .split('\n')
    .slice(2)
    .map((line) => (line.startsWith('"') ? line.split('"')[1] : line.split(',')[0]) ?? '')
  return cells.flatMap((cell) => cell.match(/[0-9a-f:.]+\/\d+/g) ?? []).map(toBlock)
}

/** Not in the registries: multicast, and addresses with a meaning inside clouds. */
const special: Readonly<Record<4 | 6, readonly Block[]>> = {
  4: [...registry(4), toBlock('224.0.0.0/4'), toBlock('168.63.129.16/32')],
  6: [...registry(6)],
}

const inside = (value: bigint, block: Block) => value >= block.first && value <= block.last

function oracle(value: bigint, family: 4 | 6): boolean {
  if (family === 6 && inside(value, toBlock('::ffff:0:0/96'))) return oracle(value & 0xffff_ffffn, 4)
  if (family === 6 && !inside(value, toBlock('2000::/3'))) return false
  return !special[family].some((block) => inside(value, block))
}

describe.each([4, 6] as const)('IPv%i', (family) => {
  test('the registry was read', () => {
    expect(special[family].length).toBe(family === 4 ? 28 : 25)
  })

  describe.each(special[family].filter(({ text }) => text !== '::ffff:0:0/96'))('$text', (block) => {
    test('first, last and some inside are not public', () => {
      const size = block.last - block.first
      for (const value of [block.first, block.last, block.first + size / 2n, block.first + size / 3n]) {
        expect(isPublicAddress(toText(value, family)), toText(value, family)).toBe(false)
      }
    })

    test('its neighbours are what they are by themselves', () => {
      for (const value of [block.first - 1n, block.last + 1n]) {
        if (value < 0n || value >= 1n << widthOf(family)) continue
        expect(isPublicAddress(toText(value, family)), toText(value, family)).toBe(oracle(value, family))
      }
    })

    if (family === 4) {
      test('mapped into IPv6 it is no more public', () => {
        for (const value of [block.first, block.last]) {
          expect(isPublicAddress(`::ffff:${toText(value, 4)}`)).toBe(false)
          expect(isPublicAddress(toText((0xffffn << 32n) | value, 6))).toBe(false)
        }
      })
    }
  })

  test('agrees with the registries on random addresses', () => {
    const value = fc.bigInt({ min: 0n, max: (1n << widthOf(family)) - 1n })
    const globalUnicast = fc.bigInt({ min: 1n << 125n, max: (1n << 126n) - 1n })
    const nearBlock = fc
      .tuple(fc.constantFrom(...special[family]), fc.bigInt({ min: -300n, max: 300n }), fc.boolean())
      .map(([block, offset, end]) => (end ? block.last : block.first) + offset)
      .filter((near) => near >= 0n && near < 1n << widthOf(family))
    const candidates = family === 4 ? fc.oneof(value, nearBlock) : fc.oneof(value, globalUnicast, nearBlock)
    fc.assert(
      fc.property(candidates, (address) => {
        expect(isPublicAddress(toText(address, family))).toBe(oracle(address, family))
      }),
      propertyRuns(7, 2_000),
    )
  })
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '168.63.129.15',
  '168.63.129.17',
  '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2a00:1450::',
  '2620:4f:8001::',
  '2003::',
  '3ffe:ffff::',
  '3fff:1000::',
  '::ffff:8.8.8.8',
  '::FFFF:808:808',
  '2A00:1450::1.2.3.4',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  ['an empty text', ''],
  ['a name', 'localhost'],
  ['one number', '2130706433'],
  ['short IPv4', '127.1'],
  ['octal', '0177.0.0.1'],
  ['a leading zero', '08.8.8.8'],
  ['hexadecimal', '0x8.8.8.8'],
  ['out of range', '8.8.8.256'],
  ['five parts', '8.8.8.8.8'],
  ['a space', ' 8.8.8.8'],
  ['a trailing dot', '8.8.8.8.'],
  ['a sign', '8.8.8.+8'],
  ['full-width digits', '８.8.8.8'],
  ['a zone', '2606:2800::1%eth0'],
  ['brackets', '[2606:2800::1]'],
  ['a port', '8.8.8.8:443'],
  ['two gaps', '2606::1::2'],
  ['nine groups', '2606:1:2:3:4:5:6:7:8'],
  ['seven groups', '2606:1:2:3:4:5:6'],
  ['a gap for nothing', '2606:1:2:3::4:5:6:7'],
  ['five digits', '2606:12345::'],
  ['a stray colon at the end', '2606:1:2:3:4:5:6:7:'],
  ['a stray colon at the beginning', ':2606:1:2:3:4:5:6:7'],
  ['three colons', '2606:::1'],
  ['IPv4 in the middle', '2606::1.2.3.4:1'],
  ['IPv4 before the gap', '1.2.3.4::2606'],
  ['IPv4-compatible', '::8.8.8.8'],
  ['loopback as IPv4-compatible', '::7f00:1'],
  ['ISATAP-like', '::5efe:7f00:1'],
  ['NAT64', '64:ff9b::808:808'],
  ['local NAT64', '64:ff9b:1::808:808'],
  ['unallocated', '4000::1'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['AWS metadata', 'fd00:ec2::254'],
  ['Alibaba metadata', '100.100.100.200'],
  ['Oracle metadata', '192.0.0.192'],
  ['Azure host', '168.63.129.16'],
])('%s is not public: %s', (_name, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test('what is not a text is not public', () => {
  for (const value of [null, undefined, 134_744_072, {}, ['8.8.8.8']]) {
    expect(isPublicAddress(value as string)).toBe(false)
  }
})

test('every address that is called public is one that Node can connect to', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-fx:.]{1,30}$/)), (address) => {
      if (isPublicAddress(address)) expect(isIP(address)).not.toBe(0)
    }),
    propertyRuns(3, 1_000),
  )
})

test('spellings of one address are the same address', () => {
  expect(isSameAddress('2606:2800:0:0:0:0:0:1', '2606:2800::1')).toBe(true)
  expect(isSameAddress('::ffff:8.8.8.8', '8.8.8.8')).toBe(true)
  expect(isSameAddress('8.8.8.8', '8.8.4.4')).toBe(false)
  expect(isSameAddress('', '')).toBe(false)
  expect(isSameAddress('', '8.8.8.8')).toBe(false)
  expect(isSameAddress('8.8.8.8', '')).toBe(false)
})

test.each([
  ['the last two groups as IPv4, without a gap', '2606:2800:0:0:0:0:8.8.8.8'],
  ['the last two groups as IPv4, after a gap', '2606:2800::8.8.8.8'],
  ['a gap for one group', '2606:1:2::4:5:6:7'],
])('%s is public: %s', (_name, address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each(['8', '8.8', '8.8.8', '8.8.8.8.8', '0', '134744072'])('%s does not have the four parts of IPv4', (text) => {
  expect(isIpAddress(text)).toBe(false)
})

test('IPv4 before a gap is no address, in a public block either', () => {
  expect(isIpAddress('2606:2800:8.8.8.8::1')).toBe(false)
})
