import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/contributions.ts' {
  interface Contributions {
    /** The page that a signed-in person starts on; null for another person. The first one counts. */
    readonly landing: (account: Pick<Account, 'roles'>, request: FastifyRequest) => string | null
  }
}
