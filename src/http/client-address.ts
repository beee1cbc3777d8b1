import { isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

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

/** One spelling per address; null for what is no address. */
export function canonicalAddress(text: string): string | null {
  const bare = withoutPort(text.trim()).split('%')[0] ?? ''
  const family = isIP(bare)
  if (family === 4) return bare
  if (family === 0) return null
  const groups = expand(bare)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6)
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
  }
  return new URL(`http://[${bare}]`).hostname.slice(1, -1)
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)
  if (bracketed) return bracketed[1] ?? ''
  return text.replace(/^([0-9.]+):[0-9]+$/, '$1')
}

/** The eight groups of an IPv6 address. */
export function expand(address: string): number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = !tail ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) =>
    Number.parseInt(group, 16),
  )
}
