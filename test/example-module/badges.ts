import { digest, equalInConstantTime } from '../../src/core/crypto/digest.ts'
import { type Random, randomText } from '../../src/core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { type Guard, lockName, transact } from '../../src/core/database/transactions.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { Events } from '../../src/core/events/events.ts'
import type { Clock } from '../../src/core/lib/clock.ts'
import type { Account } from '../../src/modules/authentication/account.ts'
import type { Method } from '../../src/modules/authentication/attempt.ts'
import { badgeMade, badgeRemoved } from './events.ts'
import { badgeStore } from './store.ts'

interface BadgesDeps {
  readonly clock: Clock
  readonly db: Database
  readonly events: Events
  readonly random: Random
}

export type Badges = ReturnType<typeof createBadges>

/** A badge: words on a card, which sign in in place of the password. An account has at most one. */
export function createBadges({ clock, db, events, random }: BadgesDeps) {
  return {
    /** When the badge was made, in epoch milliseconds; null: the account has none. */
    async since(userId: number): Promise<number | null> {
      return (await badgeStore(db).of(userId))?.createdAt ?? null
    },

    /** Replaces the badge. Answers its words, of which only the digest is stored. */
    make(userId: number, guard: Guard | undefined): Promise<string> {
      const words = randomText(random, 16)
      const work = async (trx: DatabaseOrTransaction) => {
        await badgeStore(trx).remove(userId)
        await badgeStore(trx).insert(userId, digest(words), clock.now())
        await events.emitInTransaction(trx, badgeMade, { user_id: userId })
        return words
      }
      return transact(db, [lockName.account(userId)], work, guard)
    },

    async remove(userId: number, guard: Guard | undefined): Promise<void> {
      const work = async (trx: DatabaseOrTransaction) => {
        if (!(await badgeStore(trx).remove(userId))) return
        await events.emitInTransaction(trx, badgeRemoved, { user_id: userId })
      }
      await transact(db, [lockName.account(userId)], work, guard)
    },

    /** An unknown account costs the same reads. */
    method(account: Account | null, words: string): Method {
      return {
        async prove() {
          const isRight = await isBadge(db, account?.userId ?? 0, words)
          if (!account || !isRight) throw refused()
          return { account, amr: ['x-badge'], authTime: clock.now() }
        },
      }
    },

    /** In the transaction of the step. @throws ApiError invalidCredentials if the badge is gone */
    async use(trx: DatabaseOrTransaction, userId: number, words: string): Promise<void> {
      if (!(await isBadge(trx, userId, words))) throw refused()
    },
  }
}

async function isBadge(db: DatabaseOrTransaction, userId: number, words: string): Promise<boolean> {
  return equalInConstantTime((await badgeStore(db).of(userId))?.digest, digest(words))
}

function refused(): ApiError {
  return new ApiError('invalidCredentials', { reason: { code: 'x-note-badge-wrong' } })
}
