import { parseEmail } from '../../core/addresses/email.ts'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import { proofFail } from '../../modules/authentication/events.ts'
import type { SentCode } from '../../modules/proofs/sent-code.ts'
import { assertMail } from './outbox.ts'

const purposes = ['proof'] as const

/** Proof by a code mailed to the verified address, for accounts without password and provider. */
export function createMailedProof(
  deps: Pick<
    Needs,
    'accounts' | 'config' | 'confirmations' | 'limits' | 'loginAddress' | 'outbox' | 'requirements'
  >,
): SentCode {
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
        // Before verification, so that a locked account does not reveal whether the code is right.
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
