import type { FastifyRequest } from 'fastify'
import { isWithin } from '../../core/addresses/address-ranges.ts'
import type { Config } from '../../core/config/load.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { Landing } from '../../modules/pages/landing.ts'

/** Where the console is. */
export const consolePath = '/admin'
export const ownAccountPath = '/account'

/** Those that find something in the console; all others have their own account. */
export const readers = ['EDITOR', 'ADMIN'] as const satisfies readonly Role[]

/** Who may open the console, and from where. */
export interface ConsoleAccess {
  /** Whether CONSOLE_ADDRESSES lets this client open it. */
  isAllowedFrom(request: FastifyRequest): boolean
  /** Whether a signed-in person starts on the console. */
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
