import { afterCommit } from '../../core/database/commit.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { EventType } from '../../core/events/types.ts'

/**
 * One attempt to log in or to prove a code. The attempt succeeds if its work returns, fails if the
 * work throws `invalidCredentials` (or what `isFailure` accepts), and is cancelled by any other error.
 * No other file settles attempts.
 */
export interface Attempt {
  /** When it was reserved, epoch milliseconds. */
  readonly takenAt: number
  /**
   * Set if the quota of the account is used up by another spelling of its name. The attempt can only
   * fail: the work must verify a dummy hash in place of what was sent.
   */
  readonly usedUp: UsedUp | null
  /** Sets what a failure is recorded as from now on; fields that are not given stay as they are. */
  onFailure(failure: Partial<Failure>): void
  /**
   * Settles the attempt as succeeded in the transaction that completes the work; may be called again
   * if that is begun anew. `account`, as this transaction read it, saves a statement if it has no
   * failures to clear.
   */
  succeed(trx: DatabaseOrTransaction, account?: FailureCount): Promise<void>
  /**
   * Settles the attempt without a verdict, for work that returns the next step of a login: a right
   * password alone must not clear the failures of an account.
   */
  cancel(): Promise<void>
}

/** The count of an exceeded limit, as facts of a reason. `frees_at` in epoch milliseconds. */
export type UsedUp = Readonly<Record<'used' | 'attempts' | 'window_seconds' | 'frees_at', number>>

export interface Failure {
  /** Null if the work records the failure itself. */
  readonly event: EventType<{ user_id: number | null }> | null
  /** The user of the account; null if no account has the name. */
  readonly userId: number | null
  /** Called when the failure is counted: resolves when the refusal may be answered. */
  readonly wait: (() => Promise<void>) | null
}

/** Failures in a row, as they are stored with an account. */
export interface FailureCount {
  readonly failedLogins: number
  readonly lockedUntil: number | null
}

/**
 * An attempt that all its rate limits have admitted and that is not judged yet. Its holder must
 * call `fail`, `succeed` or `cancel`. For this file only.
 */
export interface Reservation {
  /** Epoch milliseconds. */
  readonly takenAt: number
  /** Counts the attempt as a failure until the window has passed. `also`: see `InTransaction`. */
  fail(also?: InTransaction): Promise<void>
  /** Deletes the reservation and earlier failures, in a transaction that may be begun anew. */
  succeed(trx: DatabaseOrTransaction): Promise<void>
  /** Deletes the reservation: there was no verdict, or it does not count. */
  cancel(): Promise<void>
}

/** Work done in the transaction that settles the attempt. If it throws, nothing is settled. */
export type InTransaction = (trx: DatabaseOrTransaction) => Promise<void>

export interface AttemptDeps {
  readonly db: Database
}

export interface AttemptOptions {
  readonly reservation: Reservation
  /** The default is null. */
  readonly usedUp?: UsedUp | null
  readonly events: Pick<Events, 'emit'>
  /** The username of the attempt, for the audit log alone. */
  readonly typed?: string | null
  /** Which errors fail the attempt; by default `invalidCredentials`. */
  readonly isFailure?: (error: unknown) => boolean
  /** What else a failure changes in the transaction that counts it. */
  readonly failed?: (trx: DatabaseOrTransaction) => Promise<void>
  /** What else a success changes in the transaction that settles it. */
  readonly succeeded?: (trx: DatabaseOrTransaction, account?: FailureCount) => Promise<void>
}

/** Does the work as the attempt that was reserved, and settles it. @throws what the work throws */
export async function runAttempt<T>(
  { db }: AttemptDeps,
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
