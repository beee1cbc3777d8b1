import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Account } from '../authentication/account.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    sentCode: SentCode
  }
}

/** The proof of an account without a password and without a provider: a code that the owner is sent. */
export interface SentCode {
  /** Whether a code can be sent to the owner. */
  canSend(account: Account): boolean
  /**
   * Sends a code, in the caller's transaction; answers its id.
   * @throws ApiError mailUnavailable, emailNotVerified, tooManyRequests
   */
  begin(
    trx: DatabaseOrTransaction,
    request: FastifyRequest,
    account: Account,
    flow: string,
  ): Promise<string>
  /**
   * Verifies a typed code, which counts like a login if it is wrong; answers what uses the code up.
   * @throws ApiError invalidCredentials, tooManyLoginAttempts
   */
  open(
    request: FastifyRequest,
    account: Account,
    typed: { readonly id: string; readonly code: string; readonly flow: string },
  ): Promise<(trx: DatabaseOrTransaction) => Promise<void>>
}
