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

/**
 * Sign-in by a link or a code that is mailed to the verified address of an account, in place of the
 * password (EMAIL_SIGN_IN). It is never a second factor: NIST 800-63B-4 section 3.1.3.1.
 */
export interface EmailLogin {
  /** Whether it is offered: it is on, and mail can be sent. */
  readonly isOffered: boolean
  /**
   * Mails a link and a code to the account that has verified the address. The answer and its cost
   * are the same for any address.
   * @throws ApiError routeNotFound if it is off; mailUnavailable; tooManyRequests for the client
   */
  begin(address: EmailAddress, options: BeginOptions): Promise<BegunCode>
  /**
   * The account whose link or code was right, as a method of login. The confirmation is not used up
   * yet: the transaction that takes the login further does that.
   * @throws ApiError confirmationInvalid if its account is gone, or the sign-in by mail is off now
   */
  method(
    confirmation: Confirmation,
    address: string,
  ): Promise<Pick<Authentication, 'login' | 'method'>>
  /** The account of a confirmation; null if it is gone, or the sign-in by mail is off now. */
  accountOf(confirmation: Confirmation): Promise<Account | null>
}

export interface BeginOptions {
  /** If the account has none of its own. */
  readonly language: Language
  /** The address of the client, by the rules of limits. */
  readonly client: string
  /** The flow of pages in which the code counts; null for the API. */
  readonly flow: string | null
  /** What the page of the link tells about who has asked. */
  readonly facts?: ConfirmationFacts
}

export type EmailLoginDeps = Pick<
  Needs,
  'accounts' | 'clock' | 'config' | 'confirmations' | 'db' | 'events' | 'outbox' | 'requirements'
>

/** The purposes of the confirmations that a sign-in takes. */
export const signInPurposes = ['sign_in'] as const

export function createEmailLogin(deps: EmailLoginDeps): EmailLogin {
  const { accounts, config, clock, confirmations, db, events, outbox, requirements } = deps

  return {
    isOffered: config.emailSignIn && outbox.isAvailable,

    async begin(asked, { language, client, flow, facts = {} }) {
      if (!config.emailSignIn) {
        throw new ApiError('routeNotFound', { reason: { code: 'sign_in_by_mail_off' } })
      }
      assertMail(outbox)
      const owner = await accounts.byEmail(asked.key)
      // An address without an account takes a lock and a statement too.
      const lock = lockName.account(owner?.userId ?? asked.key)
      return transact(db, [lock], async (trx) => {
        const account = await mayLogIn(trx, owner?.userId ?? 0)
        const userId = account?.userId ?? null
        // The stored address, never the typed one.
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

    async method(confirmation, address) {
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

  async function accountOf({ userId }: Confirmation): Promise<Account | null> {
    return userId === null || !config.emailSignIn ? null : accountIn(db, userId)
  }

  /** The account, unless a login of it is refused now. */
  async function mayLogIn(trx: DatabaseOrTransaction, userId: number): Promise<Account | null> {
    const account = await accountIn(trx, userId)
    const unmet = account && requirements.unmet('login', { account })
    return unmet && isRefusal(unmet.cell) ? null : account
  }
}
