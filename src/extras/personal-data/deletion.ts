import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Guard } from '../../core/database/transactions.ts'
import type { Reauthorization } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { type Accounts, accountIn } from '../../modules/accounts/accounts.ts'
import type { DeletionNotice } from '../../modules/accounts/deletion-notice.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Users } from '../../modules/users/users.ts'

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
  readonly config: Pick<Config, 'confirmations'>
  /** The notices to the owner; an account whose owner no notice reaches is erased at once. */
  readonly notices: () => readonly DeletionNotice[]
  readonly users: Pick<Users, 'remove'>
}

const daySeconds = 86_400

/** Thrown to end the erasure of an account whose deletion was cancelled, or which was removed. */
class NotDue extends Error {}

export function createAccountDeletion(deps: AccountDeletionDeps): AccountDeletion {
  const { accounts, clock, config, users } = deps

  return {
    daysOf: (account) =>
      noticeTo(account) ? config.confirmations.deletionSeconds / daySeconds : 0,

    async request(account, guard) {
      const notice = noticeTo(account)
      if (!notice) return erase(account, guard)
      const { assertSends, erased, requested } = notice
      await assertSends()
      if (config.confirmations.deletionSeconds === 0) {
        return erase(account, guard, (trx) => erased(trx, account))
      }
      return accounts.requestDeletion(account, { guard, mail: requested })
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

  function noticeTo(account: Account): DeletionNotice | undefined {
    return deps.notices().find((notice) => notice.reaches(account))
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
