import type { FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../addresses/address.ts'
import { isWithin, parseAddressRange } from '../../addresses/address-ranges.ts'
import type { Config } from '../../config/load.ts'
import { clientAddress } from './client-address.ts'

/** Whose attempts the limits of a login count together: see `createLoginAddress`. */
export type LoginAddress = (request: FastifyRequest) => string

/**
 * The client's address for the limits of a login. A backend that logs its users in from one address
 * (LOGIN_TRUSTED_NETWORKS) names the client in the last element of its X-Forwarded-For, which it
 * must write itself. Where it sends none, or one whose last element is no address, the attempt
 * counts for the backend: a client that can spoil the header must not choose for whom it counts. The
 * events of the request name the same address.
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

/** The last element that the caller wrote; null where there is none, or it is no address. */
function namedClient({ headers, ips }: FastifyRequest): string | null {
  const header = headers['x-forwarded-for'] // several lines are one by now
  if (typeof header !== 'string') return null
  const elements = header.split(',').map((element) => element.trim())
  // Trusted proxies between the caller and us have appended an element each, the caller's first.
  for (let appended = (ips?.length ?? 1) - 1; appended > 0; ) {
    const element = elements.pop()
    if (element === undefined) return null
    if (element !== '') appended -= 1 // empty ones are no hops to Fastify either
  }
  return canonicalAddress(elements.at(-1) ?? '')
}
