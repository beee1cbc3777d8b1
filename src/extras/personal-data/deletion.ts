import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Reauthorization } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { isLanguage } from '../../core/lib/languages.ts'
import { type Accounts, accountIn } from '../../modules/accounts/accounts.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Users } from '../../modules/users/users.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { Confirmations } from '../one-time-tokens/confirmations.ts'

/**
 * The deletion of an account by its owner. The account waits for ACCOUNT_DELETION_DAYS, in which a
 * link by mail cancels the deletion, because a thief can ask for the deletion too. Without a mailbox
 * nothing could bring the account back, so it is erased at once. docs/adr/0075
 */
export interface AccountDeletion {
  /** How many days an account would wait; 0 if it would be erased at once. */
  daysOf(account: Account): number
  /**
   * Answers when the account is erased, in epoch milliseconds; null if it was erased.
   * @throws ApiError lastAdministrator, serviceUnavailable if the notice could not be sent soon
   */
  request(account: Account, guard: Reauthorization | undefined): Promise<number | null>
  /** Erases accounts that have waited long enough; `batchSize` if there may be more, otherwise 0. */
  eraseDue(batchSize: number): Promise<number>
}

export interface AccountDeletionDeps {
  readonly accounts: Pick<Accounts, 'dueDeletions' | 'requestDeletion'>
  readonly clock: Clock
  readonly config: Pick<Config, 'confirmations' | 'pages'>
  readonly confirmations: Pick<Confirmations, 'begin' | 'openOf'>
  readonly mailer: Pick<Mailer, 'assertSends'>
  readonly outbox: Pick<Outbox, 'add' | 'isAvailable'>
  readonly users: Pick<Users, 'remove'>
}

const daySeconds = 86_400

/** Thrown to end the erasure of an account whose deletion was cancelled, or which was removed. */
class NotDue extends Error {}

export function createAccountDeletion(deps: AccountDeletionDeps): AccountDeletion {
  const { accounts, clock, config, confirmations, mailer, outbox, users } = deps
  const { language } = config.pages

  return {
    daysOf: (account) =>
      hasMailbox(account) ? config.confirmations.deletionSeconds / daySeconds : 0,

    async request(account, guard) {
      if (!hasMailbox(account)) return erase(account, guard)
      await mailer.assertSends()
      if (config.confirmations.deletionSeconds === 0) {
        return erase(account, guard, (trx) => mailErased(trx, account))
      }
      return accounts.requestDeletion(account, { guard, mail: mailRequested })
    },

    async eraseDue(batchSize) {
      const due = await accounts.dueDeletions(batchSize)
      const failures: unknown[] = []
      for (const userId of due) {
        // A failure of one account must not delay the others.
        await users.remove(userId, { guard: whileDue(userId) }).catch((error: unknown) => {
          if (!(error instanceof NotDue)) failures.push(error)
        })
      }
      if (failures.length > 0) throw new AggregateError(failures, 'accounts were not erased')
      return due.length === batchSize ? batchSize : 0
    },
  }

  /** Whether a notice can be mailed to its owner. */
  function hasMailbox(account: Account): boolean {
    return outbox.isAvailable && addressOf(account) !== null
  }

  async function erase(
    { userId }: Account,
    guard: Reauthorization | undefined,
    also?: (trx: DatabaseOrTransaction) => Promise<unknown>,
  ): Promise<null> {
    const removed = await users.remove(userId, { guard, also })
    if (!removed) throw goneMeanwhile('accountNotFound')
    return null
  }

  /** Mails a way back to each mailbox that can have one; answers when the account is erased. */
  async function mailRequested(trx: DatabaseOrTransaction, account: Account): Promise<number> {
    const { userId, username } = account
    const address = addressOf(account)
    // An administrator has just removed the address. A repeated request erases the account at once.
    if (!address) {
      const reason = {
        code: 'account_changed',
        facts: { user_id: userId, asked_of: 'change' },
      } as const
      throw new ApiError('invalidCredentials', { reason })
    }
    const { mail } = await confirmations.begin(trx, {
      purpose: 'deletion_undo',
      asked: `${address.key}|${clock.now()}`, // each deletion has a link of its own
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
  }

  /** Mails the address, not the account: the erasure withdraws all mail of the account. */
  async function mailErased(trx: DatabaseOrTransaction, account: Account): Promise<void> {
    await outbox.add(trx, {
      message: 'account_deleted',
      to: { address: addressOf(account) },
      facts: { username: account.username },
      language: isLanguage(account.language) ? account.language : language,
    })
  }

  function whileDue(userId: number): Guard {
    return {
      lockNames: () => [],
      async authorize(trx) {
        const { deletionAt = null } = (await accountIn(trx, userId)) ?? {}
        if (deletionAt === null || deletionAt > clock.now()) throw new NotDue()
      },
    }
  }
}

function addressOf({ email }: Account): EmailAddress | null {
  return email === null ? null : parseEmail(email)
}
