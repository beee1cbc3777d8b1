import type { Config } from '../../core/config/load.ts'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import { beginSpan } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { type HashingQueue, hashingQueue, retryAfterSeconds } from './hashing-queue.ts'
import { hashing, measuredQueue } from './measured-queue.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'
import { type PasswordChange, passwordStore, type StoredPassword } from './store.ts'

/** Hashes and verifies passwords through the bounded queue, at the configured cost. */
export interface Passwords {
  /** How many hashes are computed at a time, at most. */
  readonly concurrency: number
  /** @throws ApiError serviceUnavailable if the queue is full */
  hash(password: string): Promise<string>
  /**
   * Verifies a password. `stored` is null for an unknown username and for an account without a
   * password: the dummy hash is verified in its place, and no password matches. `beginBy` is the
   * latest time at which the verification may begin, in epoch milliseconds.
   * @throws ApiError serviceUnavailable if the queue is full, or the turn comes after `beginBy`
   */
  verify(password: string, stored: string | null, beginBy?: number): Promise<Verification>
  /** The dummy hash, of a random password and at the configured cost. */
  dummy(): Promise<string>
  isOutdated(stored: string): boolean
}

export interface Verification {
  readonly matches: boolean
  /** When the verification began, in epoch milliseconds, and how long it took. */
  readonly beganAt: number
  readonly tookMs: number
}

export interface PasswordsDeps {
  readonly config: Pick<Config, 'password'>
  readonly clock: Clock
  readonly measurements: Pick<Measurements, 'of'>
  readonly random: Random
  readonly workers: Pick<Workers, 'share'>
}

const unknownBytes = 32

export function createPasswords(
  { config: { password: settings }, clock, measurements, random, workers }: PasswordsDeps,
  given: HashingQueue = hashingQueue({ running: settings.hashesAtOnce, share: workers.share }),
): Passwords {
  const queue = measuredQueue(given, measurements.of(hashing))
  // The start of the service does not wait for this hash.
  const dummy = hashPassword(randomText(random, unknownBytes), settings, random)
  return {
    concurrency: queue.concurrency,
    dummy: () => dummy,
    hash: (password) => queued('hash password', () => hashPassword(password, settings, random)),
    verify: (password, stored, beginBy = Number.POSITIVE_INFINITY) =>
      queued('verify password', async () => {
        const hash = stored ?? (await dummy)
        const beganAt = clock.now()
        if (beganAt > beginBy)
          throw new ApiError('serviceUnavailable', {
            cause: 'a password waited too long',
            reason: { code: 'password_waited_too_long' },
            retryAfterSeconds,
          })
        const isRight = await verifyPassword(password, hash)
        return { matches: isRight && stored !== null, beganAt, tookMs: clock.now() - beganAt }
      }),
    isOutdated: (stored) => isOutdated(stored, settings),
  }

  /** Does the work in its turn; its span, if there is one, tells how long it waited for that. */
  function queued<T>(name: string, work: () => Promise<T>): Promise<T> {
    const span = beginSpan(name, 'internal')
    if (!span) return queue.run(work)
    const askedAt = performance.now()
    return queue
      .run(() => {
        span.set('gatehouse.hashing.wait_ms', performance.now() - askedAt)
        return work()
      })
      .catch((error: unknown) => {
        span.fail(error instanceof Error ? error.name : 'unknown')
        throw error
      })
      .finally(() => span.end())
  }
}

/** Stores the passwords of new accounts. */
export function storePasswords(
  trx: DatabaseOrTransaction,
  passwords: readonly StoredPassword[],
): Promise<void> {
  return passwordStore(trx).insert(passwords)
}

/**
 * Changes the password of an account, which may have none yet, or whether the next login must set
 * one.
 */
export function changePassword(
  trx: DatabaseOrTransaction,
  account: number,
  change: PasswordChange,
  now: number,
): Promise<void> {
  return passwordStore(trx).change(account, change, now)
}

/**
 * Removes the password of an account if it was set at `since` or later, epoch milliseconds; answers
 * whether it did. The account then has none until a reset.
 */
export function voidPasswordSince(
  trx: DatabaseOrTransaction,
  account: number,
  since: number,
): Promise<boolean> {
  return passwordStore(trx).voidSince(account, since)
}

/** Replaces the hash `from` by a stronger one of the same password, unless the hash has changed. */
export function replaceHash(
  db: DatabaseOrTransaction,
  account: number,
  from: string,
  to: string,
): Promise<void> {
  return passwordStore(db).replaceHash(account, from, to)
}
