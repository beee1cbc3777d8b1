import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import { isLanguage } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import type { DeletionNotice } from '../../modules/accounts/deletion-notice.ts'
import type { Account } from '../../modules/authentication/account.ts'

export type DeletionNoticeDeps = Pick<
  Needs,
  'clock' | 'config' | 'confirmations' | 'mailer' | 'outbox'
>

/** The mailed link is a reset: see ways.ts. */
export function createDeletionNotice(deps: DeletionNoticeDeps): DeletionNotice {
  const { clock, config, confirmations, mailer, outbox } = deps
  const { language } = config.pages

  return {
    reaches: (account) => outbox.isAvailable && addressOf(account) !== null,

    assertSends: mailer.assertSends,

    /** Returns the time of erasure. */
    async requested(trx: DatabaseOrTransaction, account: Account): Promise<number> {
      const { userId, username } = account
      const address = addressOf(account)
      // An administrator just removed the address. A repeated request erases immediately.
      if (!address) {
        const reason = {
          code: 'account_changed',
          facts: { user_id: userId, asked_of: 'change' },
        } as const
        throw new ApiError('invalidCredentials', { reason })
      }
      const { mail } = await confirmations.begin(trx, {
        purpose: 'deletion_undo',
        asked: `${address.key}|${clock.now()}`, // a link per deletion
        userId,
        address,
        version: account.refreshVersion,
        flow: null,
        language,
      })
      const facts = { username, deletionAt: mail.expiresAt }
      await outbox.add(trx, {
        message: 'deletion_requested',
        to: { address, userId },
        ...mail,
        facts,
        language,
      })
      for (const former of await confirmations.openOf(trx, userId, 'email_undo')) {
        if (former.address.key === address.key) continue
        await outbox.add(trx, {
          message: 'deletion_requested_former',
          to: { address: former.address, userId },
          confirmation: former.id,
          facts,
          language,
          expiresAt: Math.min(former.expiresAt, mail.expiresAt),
        })
      }
      return mail.expiresAt
    },

    /** Mails the address: the erasure withdraws the account's mail. */
    async erased(trx: DatabaseOrTransaction, account: Account): Promise<void> {
      await outbox.add(trx, {
        message: 'account_deleted',
        to: { address: addressOf(account) },
        facts: { username: account.username },
        language: isLanguage(account.language) ? account.language : language,
      })
    },
  }
}

function addressOf({ email }: Account): EmailAddress | null {
  return email === null ? null : parseEmail(email)
}
