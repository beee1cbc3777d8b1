import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { accountIn } from '../../modules/accounts/accounts.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Authentication } from '../../modules/authentication/attempt.ts'
import { isRefusal } from '../../modules/authentication/requirement-table.ts'
import { assertMail } from '../mail/outbox.ts'
import type {
  BegunCode,
  Confirmation,
  ConfirmationFacts,
} from '../one-time-tokens/confirmations.ts'
import { emailLoginRequested } from './events.ts'

export type EmailLogin = ReturnType<typeof createEmailLogin>

export interface BeginOptions {
  /** If the account has none. */
  readonly language: Language
  /** Address as counted by limits. */
  readonly client: string
  /** Restricts the code to this flow; null: API. */
  readonly flow: string | null
  /** Shown on the link page. */
  readonly facts?: ConfirmationFacts
}

type EmailLoginNeeds = Pick<
  Needs,
  'accounts' | 'clock' | 'config' | 'confirmations' | 'db' | 'events' | 'outbox' | 'requirements'
>

export const signInPurposes = ['sign_in'] as const

/**
 * A mailed link or code replaces the password (EMAIL_SIGN_IN). Never a second factor: NIST
 * 800-63B-4 section 3.1.3.1.
 */
export function createEmailLogin(deps: EmailLoginNeeds) {
  const { accounts, config, clock, confirmations, db, events, outbox, requirements } = deps

  return {
    /** Enabled, and mail is configured. */
    isOffered: config.emailSignIn && outbox.isAvailable,

    /**
     * Equal response and cost for every address, to hide accounts.
     * @throws ApiError routeNotFound if disabled; mailUnavailable; tooManyRequests
     */
    async begin(
      asked: EmailAddress,
      { language, client, flow, facts = {} }: BeginOptions,
    ): Promise<BegunCode> {
      if (!config.emailSignIn) {
        throw new ApiError('routeNotFound', { reason: { code: 'sign_in_by_mail_off' } })
      }
      assertMail(outbox)
      const owner = await accounts.byEmail(asked.key)
      // Unknown addresses take a lock too, for equal timing.
      const lock = lockName.account(owner?.userId ?? asked.key)
      return transact(db, [lock], async (trx) => {
        const account = await mayLogIn(trx, owner?.userId ?? 0)
        const userId = account?.userId ?? null
        // Never the typed address.
        const address = account?.email ? parseEmail(account.email) : null
        const begun = await confirmations.begin(trx, {
          purpose: 'sign_in',
          asked: asked.key,
          userId,
          address,
          version: account?.refreshVersion ?? 0,
          flow,
          language,
          facts,
        })
        await events.emitInTransaction(
          trx,
          emailLoginRequested,
          { user_id: userId },
          { hidesPerson: true },
        )
        await outbox.add(trx, {
          message: 'sign_in',
          to: { userId, address },
          ...begun.mail,
          facts: { username: account?.username ?? '' },
          language,
          client,
        })
        return begun
      })
    },

    /**
     * The next login step's transaction uses up the confirmation.
     * @throws ApiError confirmationInvalid if the account is gone or the feature disabled
     */
    async method(
      confirmation: Confirmation,
      address: string,
    ): Promise<Pick<Authentication, 'login' | 'method'>> {
      if (!config.emailSignIn) {
        throw new ApiError('confirmationInvalid', { reason: { code: 'sign_in_by_mail_off' } })
      }
      const account = await accountOf(confirmation)
      if (!account) {
        const facts = { user_id: confirmation.userId, purpose: confirmation.purpose }
        const reason = { code: 'confirmation_outlived', facts } as const
        throw new ApiError('confirmationInvalid', { reason })
      }
      return {
        login: { username: account.username, address },
        method: { prove: async () => ({ account, amr: ['email'], authTime: clock.now() }) },
      }
    },

    accountOf,
  }

  /** Null if gone, or the feature is disabled. */
  async function accountOf({ userId }: Confirmation): Promise<Account | null> {
    return userId === null || !config.emailSignIn ? null : accountIn(db, userId)
  }

  /** Null if login is currently rejected. */
  async function mayLogIn(trx: DatabaseOrTransaction, userId: number): Promise<Account | null> {
    const account = await accountIn(trx, userId)
    const unmet = account && requirements.unmet('login', { account })
    return unmet && isRefusal(unmet.cell) ? null : account
  }
}
