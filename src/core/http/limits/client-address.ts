import type { FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../addresses/address.ts'

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
