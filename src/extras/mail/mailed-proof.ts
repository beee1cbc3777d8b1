import type { FastifyRequest } from 'fastify'
import { parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { LoginAddress } from '../../core/http/limits/login-address.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { proofFail } from '../../modules/authentication/events.ts'
import type { Requirements } from '../../modules/authentication/requirements.ts'
import type { LoginLimits } from '../../modules/throttle/limits.ts'
import type { Confirmation, Confirmations } from '../one-time-tokens/confirmations.ts'
import { assertMail, type Outbox } from './outbox.ts'

export interface MailedProofDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly config: Pick<Config, 'pages'>
  readonly confirmations: Pick<Confirmations, 'begin' | 'openByCode'>
  readonly limits: Pick<LoginLimits, 'attemptCode'>
  readonly loginAddress: LoginAddress
  readonly outbox: Pick<Outbox, 'add' | 'isAvailable'>
  readonly requirements: Pick<Requirements, 'refuse'>
}

const purposes = ['proof'] as const

export type MailedProof = ReturnType<typeof createMailedProof>

/**
 * The proof of an account without a password and without a provider: a code that is mailed to its
 * verified address.
 */
export function createMailedProof(deps: MailedProofDeps) {
  const { accounts, config, confirmations, limits, loginAddress, outbox, requirements } = deps
  return {
    /** Whether a code can be mailed to the account. */
    canMail: ({ email }: Account) => email !== null && outbox.isAvailable,

    /**
     * Mails a code, in the caller's transaction; answers the id of its confirmation.
     * @throws ApiError mailUnavailable, emailNotVerified, tooManyRequests
     */
    async begin(
      trx: DatabaseOrTransaction,
      request: FastifyRequest,
      account: Account,
      flow: string,
    ): Promise<string> {
      assertMail(outbox)
      const { email, refreshVersion, userId, username } = await accounts.reread(trx, account)
      const address = email === null ? null : parseEmail(email)
      if (!address) {
        const reason = { code: 'email_not_verified', facts: { user_id: userId } } as const
        throw new ApiError('emailNotVerified', { reason })
      }
      const { language } = config.pages
      const begun = await confirmations.begin(trx, {
        purpose: 'proof',
        asked: address.key,
        userId,
        address,
        version: refreshVersion,
        flow,
        language,
      })
      await outbox.add(trx, {
        message: 'proof',
        to: { address, userId },
        ...begun.mail,
        facts: { username },
        language,
        client: loginAddress(request),
      })
      return begun.id
    },

    /**
     * Verifies a typed code, which counts like a login if it is wrong. It is used up later.
     * @throws ApiError invalidCredentials, tooManyLoginAttempts
     */
    open(
      request: FastifyRequest,
      account: Account,
      { id, code, flow }: { readonly id: string; readonly code: string; readonly flow: string },
    ): Promise<Confirmation> {
      const login = { username: account.username, address: loginAddress(request) }
      return limits.attemptCode(login, async (attempt) => {
        attempt.onFailure({ event: proofFail, userId: account.userId })
        // Before the code is verified, so that a locked account does not show whether it is right.
        requirements.refuse('login', { account })
        return confirmations.openByCode(id, code, flow, purposes).catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.row !== 'confirmationInvalid') throw error
          throw new ApiError('invalidCredentials', { cause: error, reason: error.reason })
        })
      })
    },
  }
}
