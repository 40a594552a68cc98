/** An address block as its first bytes and the number of bits that count. */
interface Block {
  readonly bytes: readonly number[]
  readonly bits: number
}

/** Parses a block such as `10.0.0.0/8` or `2001:db8::/32`; null for other text. */
function parseBlock(text: string): Block | null {
  const [address = '', bits = ''] = text.split('/')
  const bytes = parseAddress(address)
  if (bytes === null || !/^\d{1,3}$/.test(bits) || Number(bits) > bytes.length * 8) return null
  return { bytes, bits: Number(bits) }
}

function blocks(...texts: readonly string[]): readonly Block[] {
  return texts.map((text) => parseBlock(text)).filter((block) => block !== null)
}

/**
 * Refused IPv4 blocks: the IANA IPv4 Special-Purpose Address Registry, multicast (RFC 5771), and Azure's host service,
 * which uses a public address inside every Azure virtual machine.
 */
const specialIpv4 = blocks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
)

/** The only IPv6 block with assigned global unicast addresses. */
const globalIpv6 = blocks('2000::/3')

/** Special blocks inside `2000::/3`: the IANA IPv6 Special-Purpose Address Registry. */
const specialIpv6 = blocks('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20')

const mappedIpv4 = blocks('::ffff:0:0/96')

/**
 * Checks whether an IP address is public.
 *
 * An IPv6 address must be inside `2000::/3`. An address of either family must be outside all special-purpose blocks. An
 * IPv4-mapped IPv6 address is checked as its IPv4 address. Text that is not an IP address in plain notation is not
 * public.
 *
 * @param address - dotted decimal IPv4 without leading zeros, or IPv6 (RFC 4291, 2.2) without brackets or zone
 *
 * @example
 * ```ts
 * import { isPublicAddress } from '@kyc-relay/webhooks/https'
 *
 * isPublicAddress('93.184.215.14') // true
 * isPublicAddress('169.254.169.254') // false
 * isPublicAddress('::ffff:10.0.0.1') // false
 * ```
 */
export function isPublicAddress(address: string): boolean {
  const bytes = typeof address === 'string' ? parseAddress(address) : null
  if (bytes === null) return false
  if (bytes.length === 4) return !isInside(bytes, specialIpv4)
  if (isInside(bytes, mappedIpv4)) return !isInside(bytes.slice(12), specialIpv4)
  return isInside(bytes, globalIpv6) && !isInside(bytes, specialIpv6)
}

/** Checks whether two texts are the same address. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [canonicalBytes(one), canonicalBytes(other)]
  return first !== null && second !== null && first.join() === second.join()
}

function canonicalBytes(address: string): readonly number[] | null {
  const bytes = parseAddress(address)
  return bytes !== null && isInside(bytes, mappedIpv4) ? bytes.slice(12) : bytes
}

/** Checks for an IPv4 or IPv6 address in plain notation. */
export function isIpAddress(text: string): boolean {
  return parseAddress(text) !== null
}

function isInside(bytes: readonly number[], within: readonly Block[]): boolean {
  return within.some((block) => {
    if (block.bytes.length !== bytes.length) return false
    for (let bit = 0; bit < block.bits; bit += 8) {
      const mask = block.bits - bit >= 8 ? 0xff : (0xff00 >> (block.bits - bit)) & 0xff
      const at = bit / 8
      if (((bytes[at] ?? 0) & mask) !== ((block.bytes[at] ?? 0) & mask)) return false
    }
    return true
  })
}

function parseAddress(text: string): readonly number[] | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

function parseIpv4(text: string): readonly number[] | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return null
  const bytes = parts.map(Number)
  return bytes.every((byte) => byte <= 255) ? bytes : null
}

function parseIpv6(text: string): readonly number[] | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail] = [groupBytes(halves[0] ?? '', halves.length === 1), groupBytes(halves[1] ?? '', true)]
  if (head === null || tail === null) return null
  const missing = 16 - head.length - tail.length
  // `::` replaces at least one group; without it the address must have all sixteen bytes.
  if (halves.length === 1 ? missing !== 0 : missing < 2) return null
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

/** Parses `a:b:c` to bytes. At the end of the address, the last group may be dotted IPv4. */
function groupBytes(text: string, endsAddress: boolean): readonly number[] | null {
  if (text === '') return []
  const groups = text.split(':')
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    if (endsAddress && index === groups.length - 1 && group.includes('.')) {
      const ipv4 = parseIpv4(group)
      if (ipv4 === null) return null
      bytes.push(...ipv4)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    }
  }
  return bytes
}
