import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { canonicalAddress, expand } from '../../addresses/address.ts'

/**
 * The client's address: the right-most hop that is no trusted proxy, in one spelling per address
 * (IPv4-mapped IPv6 as IPv4, IPv6 compressed in lower case). If the proxy sends no address
 * ("unknown", garbage), it is the proxy's own.
 */
export function clientAddress(request: FastifyRequest): string {
  // A connection that was reset before it was accepted has no peer: all of these share one address.
  const { ip, socket } = request as { ip?: string; socket: FastifyRequest['socket'] }
  return canonicalAddress(ip ?? '') ?? canonicalAddress(socket.remoteAddress ?? '') ?? '::'
}

/** The key of rate limits by address: an IPv4 address, or the /64 network of an IPv6 address. */
export function throttledAddress(address: string): string {
  if (!isIPv6(address)) return address
  const groups = expand(address)
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
