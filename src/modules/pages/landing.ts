import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    landing: Landing
  }
}

/** The start page of a signed-in person; null: another start page, or the account. */
export type Landing = (account: Pick<Account, 'roles'>, request: FastifyRequest) => string | null
