import { parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import { ApiError } from '../../core/errors.ts'
import type { LoginAddress } from '../../core/http/limits/login-address.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import { proofFail } from '../../modules/authentication/events.ts'
import type { Requirements } from '../../modules/authentication/requirements.ts'
import type { SentCode } from '../../modules/proofs/sent-code.ts'
import type { LoginLimits } from '../../modules/throttle/limits.ts'
import type { Confirmations } from '../one-time-tokens/confirmations.ts'
import { assertMail, type Outbox } from './outbox.ts'

export interface MailedProofDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly config: Pick<Config, 'pages'>
  readonly confirmations: Pick<Confirmations, 'begin' | 'openByCode' | 'use'>
  readonly limits: Pick<LoginLimits, 'attemptCode'>
  readonly loginAddress: LoginAddress
  readonly outbox: Pick<Outbox, 'add' | 'isAvailable'>
  readonly requirements: Pick<Requirements, 'refuse'>
}

const purposes = ['proof'] as const

/**
 * The proof of an account without a password and without a provider: a code that is mailed to its
 * verified address.
 */
export function createMailedProof(deps: MailedProofDeps): SentCode {
  const { accounts, config, confirmations, limits, loginAddress, outbox, requirements } = deps
  return {
    canSend: ({ email }) => email !== null && outbox.isAvailable,

    async begin(trx, request, account, flow) {
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

    async open(request, account, { id, code, flow }) {
      const login = { username: account.username, address: loginAddress(request) }
      const confirmation = await limits.attemptCode(login, async (attempt) => {
        attempt.onFailure({ event: proofFail, userId: account.userId })
        // Before the code is verified, so that a locked account does not show whether it is right.
        requirements.refuse('login', { account })
        return confirmations.openByCode(id, code, flow, purposes).catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.row !== 'confirmationInvalid') throw error
          throw new ApiError('invalidCredentials', { cause: error, reason: error.reason })
        })
      })
      return (trx) => confirmations.use(trx, confirmation)
    },
  }
}
