import type { FastifyRequest } from 'fastify'
import { isWithin } from '../../core/addresses/address-ranges.ts'
import type { Config } from '../../core/config/load.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { Landing } from '../../modules/pages/landing.ts'

export const consolePath = '/admin'
export const ownAccountPath = '/account'

/** Roles with content in the console. */
export const readers = ['EDITOR', 'ADMIN'] as const satisfies readonly Role[]

export interface ConsoleAccess {
  /** By CONSOLE_ADDRESSES. */
  isAllowedFrom(request: FastifyRequest): boolean
  /** Start page after sign-in. */
  readonly landing: Landing
}

export function createConsoleAccess({
  console: { isOn, addresses },
}: Pick<Config, 'console'>): ConsoleAccess {
  const isAllowedFrom = (request: FastifyRequest) =>
    addresses.length === 0 || isWithin(clientAddress(request), addresses)
  return {
    isAllowedFrom,
    landing({ roles }, request) {
      const isReader = readers.some((name) => roles.includes(name))
      return isOn && isReader && isAllowedFrom(request) ? consolePath : null
    },
  }
}
