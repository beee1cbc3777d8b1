import type { Database, DatabaseOrTransaction } from '../database/connect.ts'
import { afterCommit, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { EventType } from '../events/types.ts'
import { ApiError } from '../kernel/errors.ts'
import type { TakenPlace } from './throttle.ts'

/**
 * One attempt of a login, or of a code, from its place to the verdict. It succeeds where its work
 * returns, fails where the work refuses a guess, and is cancelled by any other error: then there was
 * no verdict, and it does not count. No other file settles one.
 */
export interface Attempt {
  /** When its place was taken, epoch milliseconds. */
  readonly takenAt: number
  /** What a guess counts as from here on; what is not given stays as it was. */
  failsAs(failure: Partial<Failure>): void
  /**
   * Succeeds in the transaction that completes the work, which may run it again. Where the account
   * was read in it, nothing is written that it has already.
   */
  succeed(trx: DatabaseOrTransaction, account?: FailureCount): Promise<void>
}

export interface Failure {
  /** Null: whoever found the guess out tells of it. */
  readonly event: EventType<{ user_id: number | null }> | null
  /** Whose account it was an attempt on; null where none has the name. */
  readonly userId: number | null
  /** Once it is counted: until when the refusal is kept back. */
  readonly wait: (() => Promise<void>) | null
}

/** Failures in a row, as they are stored with an account. */
export interface FailureCount {
  readonly failedLogins: number
  readonly lockedUntil: number | null
}

export interface AttemptDeps {
  readonly db: Database
}

export interface Settling {
  readonly place: TakenPlace
  readonly events: Pick<Events, 'tell'>
  /** What else a failure changes in the transaction that counts it. */
  readonly failed?: (trx: DatabaseOrTransaction) => Promise<void>
  readonly succeeded?: (trx: DatabaseOrTransaction, account?: FailureCount) => Promise<void>
}

/** Does the work as the attempt that has taken the place, and settles it. @throws what the work throws */
export async function attempted<T>(
  { db }: AttemptDeps,
  { place, events, failed, succeeded }: Settling,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  let failure: Failure = { event: null, userId: null, wait: null }
  let isSettled = false
  const attempt: Attempt = {
    takenAt: place.takenAt,
    failsAs(more) {
      failure = { ...failure, ...more }
    },
    async succeed(trx, account) {
      await place.clear(trx)
      await succeeded?.(trx, account)
      afterCommit(trx, () => {
        isSettled = true
      })
    },
  }
  try {
    const done = await work(attempt)
    if (!isSettled) await transact(db, [], (trx) => attempt.succeed(trx))
    return done
  } catch (error) {
    if (isSettled) throw error
    if (!isGuess(error)) {
      await place.giveBack()
      throw error
    }
    await place.keep(failed)
    if (failure.event) events.tell(failure.event, { user_id: failure.userId })
    await failure.wait?.()
    throw error
  }
}

function isGuess(error: unknown): boolean {
  return error instanceof ApiError && error.row === 'invalidCredentials'
}
