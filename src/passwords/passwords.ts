import type { Config } from '../config/load.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Random, randomText } from '../kernel/random.ts'
import type { Workers } from '../workers/workers.ts'
import { type HashingQueue, hashingQueue, retryAfterSeconds } from './hashing-queue.ts'
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
  readonly random: Random
  readonly workers: Pick<Workers, 'share'>
}

const unknownBytes = 32

export function createPasswords(
  { config: { password: settings }, clock, random, workers }: PasswordsDeps,
  queue: HashingQueue = hashingQueue({ running: settings.hashesAtOnce, share: workers.share }),
): Passwords {
  // The start of the service does not wait for this hash.
  const dummy = hashPassword(randomText(random, unknownBytes), settings, random)
  return {
    concurrency: queue.concurrency,
    dummy: () => dummy,
    hash: (password) => queue.run(() => hashPassword(password, settings, random)),
    verify: (password, stored, beginBy = Number.POSITIVE_INFINITY) =>
      queue.run(async () => {
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

/** Replaces the hash `from` by a stronger one of the same password, unless the hash has changed. */
export function replaceHash(
  db: DatabaseOrTransaction,
  account: number,
  from: string,
  to: string,
): Promise<void> {
  return passwordStore(db).replaceHash(account, from, to)
}
