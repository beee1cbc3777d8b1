import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    landing: Landing
  }
}

/** The page on which a signed-in person begins; null: another one, or the own account. */
export type Landing = (account: Pick<Account, 'roles'>, request: FastifyRequest) => string | null
