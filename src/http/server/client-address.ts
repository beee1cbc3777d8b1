import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { canonicalAddress, expand } from '../../kernel/address.ts'

/**
 * The client's address: the right-most hop that no trusted proxy vouches for, in one spelling per
 * address (IPv4-mapped IPv6 as IPv4, IPv6 compressed in lower case). What a proxy could not name
 * ("unknown", garbage) counts as the proxy's own address, never as nobody.
 */
export function clientAddress(request: FastifyRequest): string {
  // A connection that was reset before it was accepted has no peer any more: all such count as one.
  const { ip, socket } = request as { ip?: string; socket: FastifyRequest['socket'] }
  return canonicalAddress(ip ?? '') ?? canonicalAddress(socket.remoteAddress ?? '') ?? '::'
}

/** Whom a limit counts: an IPv4 address, or the /64 network that one IPv6 customer is given. */
export function throttledAddress(address: string): string {
  if (!isIPv6(address)) return address
  const groups = expand(address)
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
