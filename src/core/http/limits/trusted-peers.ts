import { isIP } from 'node:net'
import { canonicalAddress } from '../../addresses/address.ts'
import { isWithin, parseAddressRange } from '../../addresses/address-ranges.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'

const maxKnown = 1000

/** Matches addresses against addresses and CIDR ranges; caches results, because proxies are few. */
export function createTrustedPeers(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map(parseAddressRange)
  const known = new BoundedMap<string, boolean>(maxKnown)
  return (address) => {
    const answer = known.get(address)
    if (answer !== undefined) return answer
    if (isIP(address) === 0) return false
    const canonical = canonicalAddress(address)
    const isTrusted = canonical !== null && isWithin(canonical, parsed)
    known.set(address, isTrusted)
    return isTrusted
  }
}
