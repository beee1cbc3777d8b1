import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../addresses/address.ts'
import { isWithin, parseAddressRange } from '../../addresses/address-ranges.ts'
import type { Config } from '../../config/load.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'

/**
 * The right-most hop that is no trusted proxy, normalized (IPv4-mapped IPv6 as IPv4, lower case);
 * the proxy itself if its address is missing or invalid.
 */
export function clientAddress(request: FastifyRequest): string {
  // A connection reset before accept has no peer; all such connections share one address.
  const { ip, socket } = request as { ip?: string; socket: FastifyRequest['socket'] }
  return canonicalAddress(ip ?? '') ?? canonicalAddress(socket.remoteAddress ?? '') ?? '::'
}

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

/**
 * An X-Forwarded-For from an untrusted address is a forgery, or TRUST_PROXY lacks a proxy and its
 * clients share one address.
 */
export function forgedProxyWarning(
  { log }: FastifyInstance,
  { http, login }: Pick<Config, 'http' | 'login'>,
): (request: FastifyRequest) => void {
  const callers = login.trustedNetworks.map(parseAddressRange)
  // Fastify's `ips` would parse every request's addresses.
  const isProxy = createTrustedPeers(http.trustedProxies)
  const isExpected = (request: FastifyRequest) =>
    isProxy(request.socket.remoteAddress ?? '') || isWithin(clientAddress(request), callers)
  let told = false
  return (request) => {
    if (told || request.headers['x-forwarded-for'] === undefined || isExpected(request)) return
    told = true
    const { remoteAddress: peer } = request.socket
    log.warn({ peer }, 'X-Forwarded-For from an address that TRUST_PROXY does not name')
  }
}

export type LoginAddress = (request: FastifyRequest) => string

/**
 * Backends (LOGIN_TRUSTED_NETWORKS) send the client as the last element of X-Forwarded-For, which
 * they must write themselves. Without a valid last element the attempt counts for the backend:
 * clients that can break the header must not choose an address. Events use the same address.
 */
export function createLoginAddress({ login }: Pick<Config, 'login'>): LoginAddress {
  const ranges = login.trustedNetworks.map(parseAddressRange)
  return (request) => {
    const caller = clientAddress(request)
    if (!isWithin(caller, ranges)) return caller
    request.namedAddress = namedClient(request)
    return request.namedAddress ?? caller
  }
}

/** Null if absent or invalid. */
function namedClient({ headers, ips }: FastifyRequest): string | null {
  const header = headers['x-forwarded-for'] // lines are already joined
  if (typeof header !== 'string') return null
  const elements = header.split(',').map((element) => element.trim())
  // Each trusted proxy has appended one element; the caller's comes first.
  for (let appended = (ips?.length ?? 1) - 1; appended > 0; ) {
    const element = elements.pop()
    if (element === undefined) return null
    if (element !== '') appended -= 1 // Fastify skips empty elements too
  }
  return canonicalAddress(elements.at(-1) ?? '')
}
