import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    landing: Landing
  }
}

/** Null: another start page. */
export type Landing = (account: Pick<Account, 'roles'>, request: FastifyRequest) => string | null
