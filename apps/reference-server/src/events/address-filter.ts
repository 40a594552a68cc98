import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from '@kyc-relay/webhooks/https'

/** Lifetime of the list of interfaces: they change rarely, and listing them costs more than the rest of the check. */
const listedForMs = 60_000

/**
 * Creates the address filter for webhooks and photos. It allows public addresses except those of this machine. It does
 * not know the address of a gateway in front of the machine.
 */
export function createAddressFilter(
  list: typeof networkInterfaces = networkInterfaces,
  nowMs: () => number = () => performance.now(),
): (address: string) => boolean {
  let own = new BlockList()
  let listedAtMs = -Infinity
  return (address) => {
    if (!isPublicAddress(address)) return false
    if (nowMs() - listedAtMs >= listedForMs) {
      listedAtMs = nowMs()
      own = new BlockList()
      for (const { address: one } of Object.values(list()).flatMap((found) => found ?? []))
        own.addAddress(one, familyOf(one))
    }
    return !own.check(address, familyOf(address))
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
