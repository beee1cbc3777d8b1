import type { FastifyRequest } from 'fastify'
import { isWithin } from '../../core/addresses/address-ranges.ts'
import type { Config } from '../../core/config/load.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { Account } from '../../modules/authentication/account.ts'

/** Where the console is. */
export const consolePath = '/admin'
export const ownAccountPath = '/account'

/** Those that find something in the console; all others have their own account. */
export const readers = ['EDITOR', 'ADMIN'] as const satisfies readonly Role[]

/** Who may open the console, and from where. */
export interface Reach {
  /** Whether CONSOLE_ADDRESSES lets this client open it. */
  isAllowedFrom(request: FastifyRequest): boolean
  /** Where a person who is signed in begins: in the console, or at the own account. */
  startOf(account: Pick<Account, 'roles'>, request: FastifyRequest): string
}

export function createReach({ console: { isOn, addresses } }: Pick<Config, 'console'>): Reach {
  const isAllowedFrom = (request: FastifyRequest) =>
    addresses.length === 0 || isWithin(clientAddress(request), addresses)
  return {
    isAllowedFrom,
    startOf({ roles }, request) {
      const isReader = readers.some((name) => roles.includes(name))
      return isOn && isReader && isAllowedFrom(request) ? consolePath : ownAccountPath
    },
  }
}
