import type { FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../addresses/address.ts'
import { isWithin, parseAddressRange } from '../../addresses/address-ranges.ts'
import type { Config } from '../../config/load.ts'
import { clientAddress } from './client-address.ts'

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
