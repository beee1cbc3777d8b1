import type { FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../addresses/address.ts'

/**
 * The right-most hop that is no trusted proxy, normalized (IPv4-mapped IPv6 as IPv4, lower case);
 * the proxy itself if its address is missing or invalid.
 */
export function clientAddress(request: FastifyRequest): string {
  // A connection reset before accept has no peer; all such connections share one address.
  const { ip, socket } = request as { ip?: string; socket: FastifyRequest['socket'] }
  return canonicalAddress(ip ?? '') ?? canonicalAddress(socket.remoteAddress ?? '') ?? '::'
}
