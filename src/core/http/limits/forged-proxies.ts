import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isWithin, parseAddressRange } from '../../addresses/address-ranges.ts'
import type { Config } from '../../config/load.ts'
import { clientAddress } from './client-address.ts'
import { createTrustedPeers } from './trusted-peers.ts'

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
