import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { EventType } from '../../core/events/types.ts'
import type { Needs } from '../../core/module/services.ts'

/**
 * One attempt to log in or to prove a code. The attempt succeeds if its work returns, fails if the
 * work throws `invalidCredentials` (or what `isFailure` accepts), and is cancelled by any other
 * error. No other file settles attempts.
 */
export interface Attempt {
  /** Epoch milliseconds of the reservation. */
  readonly takenAt: number
  /**
   * Set if another spelling of the name used up the quota. The attempt can only fail: the work must
   * verify a dummy hash.
   */
  readonly usedUp: UsedUp | null
  /** Sets how a failure is recorded; absent fields stay. */
  onFailure(failure: Partial<Failure>): void
  /**
   * Settles the attempt as succeeded in the transaction of the work; a retried transaction may call
   * again. `account`, as read in this transaction, saves a statement if there are no failures to
   * clear.
   */
  succeed(trx: DatabaseOrTransaction, account?: FailureCount): Promise<void>
  /**
   * Settles the attempt without a verdict, for work that returns the next step of a login: a right
   * password alone must not clear the failures.
   */
  cancel(): Promise<void>
}

/** The count of an exceeded limit. `frees_at` in epoch milliseconds. */
export type UsedUp = Readonly<Record<'used' | 'attempts' | 'window_seconds' | 'frees_at', number>>

export interface Failure {
  /** Null if the work records the failure itself. */
  readonly event: EventType<{ user_id: number | null }> | null
  /** Null if no account has the name. */
  readonly userId: number | null
  /** Resolves when the refusal may be sent. */
  readonly wait: (() => Promise<void>) | null
}

/** Consecutive failures, as stored with an account. */
export interface FailureCount {
  readonly failedLogins: number
  readonly lockedUntil: number | null
}

/** An admitted attempt that is not settled. The holder must call `fail`, `succeed` or `cancel`. */
export interface Reservation {
  /** Epoch milliseconds. */
  readonly takenAt: number
  /** Counts the attempt as a failure until the window has passed. */
  fail(also?: InTransaction): Promise<void>
  /** Deletes the reservation and earlier failures, in a transaction that may be retried. */
  succeed(trx: DatabaseOrTransaction): Promise<void>
  /** Deletes the reservation without a verdict. */
  cancel(): Promise<void>
}

/** Work in the transaction that settles the attempt. An error of the work settles nothing. */
export type InTransaction = (trx: DatabaseOrTransaction) => Promise<void>

export interface AttemptOptions {
  readonly reservation: Reservation
  readonly usedUp?: UsedUp | null
  readonly events: Pick<Events, 'emit'>
  /** The username of the attempt, for the audit log alone. */
  readonly typed?: string | null
  /** Which errors fail the attempt; default: `invalidCredentials`. */
  readonly isFailure?: (error: unknown) => boolean
  /** Further changes in the transaction that counts the failure. */
  readonly failed?: (trx: DatabaseOrTransaction) => Promise<void>
  /** Further changes in the transaction that settles the success. */
  readonly succeeded?: (trx: DatabaseOrTransaction, account?: FailureCount) => Promise<void>
}

/** Does the work as the reserved attempt, and settles the attempt. @throws errors of the work */
export async function runAttempt<T>(
  { db }: Pick<Needs, 'db'>,
  {
    reservation,
    usedUp = null,
    events,
    typed = null,
    isFailure = isGuess,
    failed,
    succeeded,
  }: AttemptOptions,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  let failure: Failure = { event: null, userId: null, wait: null }
  let isSettled = false
  const attempt: Attempt = {
    takenAt: reservation.takenAt,
    usedUp,
    onFailure(more) {
      failure = { ...failure, ...more }
    },
    async succeed(trx, account) {
      if (usedUp) throw new Error('an attempt has succeeded that could only fail')
      await reservation.succeed(trx)
      await succeeded?.(trx, account)
      afterCommit(trx, () => {
        isSettled = true
      })
    },
    async cancel() {
      await reservation.cancel()
      isSettled = true
    },
  }
  try {
    const done = await work(attempt)
    if (!isSettled) await transact(db, [], (trx) => attempt.succeed(trx))
    return done
  } catch (error) {
    if (isSettled) throw error
    if (!isFailure(error)) {
      await reservation.cancel()
      throw error
    }
    await reservation.fail(failed)
    if (failure.event) events.emit(failure.event, { user_id: failure.userId }, { typed })
    await failure.wait?.()
    throw error
  }
}

function isGuess(error: unknown): boolean {
  return error instanceof ApiError && error.row === 'invalidCredentials'
}
