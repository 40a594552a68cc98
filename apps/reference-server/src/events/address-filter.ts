import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from '@kyc-relay/webhooks/https'

/** Interfaces come and go rarely, and listing them for every attempt would cost more than the rest of the check. */
const listedForMs = 60_000

/**
 * Checks where webhooks may go and photos may come from: public addresses but those of this machine, whatever name leads
 * there. An address that a gateway in front of the machine has is not known here.
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
