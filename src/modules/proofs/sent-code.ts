import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    sentCode: SentCode
  }
}

/** For accounts without a password or provider. */
export interface SentCode {
  canSend(account: Account): boolean
  /**
   * In the caller's transaction; returns the code's id.
   * @throws ApiError mailUnavailable, emailNotVerified, tooManyRequests
   */
  begin(
    trx: DatabaseOrTransaction,
    request: FastifyRequest,
    account: Account,
    flow: string,
  ): Promise<string>
  /**
   * A wrong code counts as a failed login; returns the function that uses the code up.
   * @throws ApiError invalidCredentials, tooManyLoginAttempts
   */
  open(
    request: FastifyRequest,
    account: Account,
    typed: { readonly id: string; readonly code: string; readonly flow: string },
  ): Promise<(trx: DatabaseOrTransaction) => Promise<void>>
}
