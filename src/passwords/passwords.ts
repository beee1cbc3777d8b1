import type { Config } from '../config/load.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { type HashingQueue, hashingQueue, retryAfterSeconds } from './hashing-queue.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'
import { type PasswordChange, passwordStore, type StoredPassword } from './store.ts'

/** Hashing and verifying through the bounded queue, at the configured cost. */
export interface Passwords {
  /** How many hashes are computed at once, at most. */
  readonly atOnce: number
  /** @throws ApiError serviceUnavailable where too many wait already; so does every verb here */
  hash(password: string): Promise<string>
  /**
   * Null stands for the hash of an unknown username, or of an account without a password: the dummy hash, which nothing matches. Where
   * the turn comes later than `beginBy` (epoch milliseconds) nothing is verified.
   */
  verify(password: string, stored: string | null, beginBy?: number): Promise<Verification>
  /** The dummy hash: of an unknown password, at the configured cost, for unknown usernames. */
  dummy(): Promise<string>
  isOutdated(stored: string): boolean
}

export interface Verification {
  readonly matches: boolean
  /** When its turn in the queue came, epoch milliseconds; and how long it took from then on. */
  readonly beganAt: number
  readonly tookMs: number
}

export interface PasswordsDeps {
  readonly config: Pick<Config, 'password'>
  readonly clock: Clock
  readonly random: Random
}

const unknownBytes = 32

export function createPasswords(
  { config: { password: settings }, clock, random }: PasswordsDeps,
  queue: HashingQueue = hashingQueue(),
): Passwords {
  // The start does not wait for it.
  const dummy = hashPassword(randomText(random, unknownBytes), settings, random)
  return {
    atOnce: queue.atOnce,
    dummy: () => dummy,
    hash: (password) => queue.run(() => hashPassword(password, settings, random)),
    verify: (password, stored, beginBy = Number.POSITIVE_INFINITY) =>
      queue.run(async () => {
        const hash = stored ?? (await dummy)
        const beganAt = clock.now()
        if (beganAt > beginBy)
          throw new ApiError('serviceUnavailable', {
            cause: 'a password waited too long',
            retryAfterSeconds,
          })
        const isRight = await verifyPassword(password, hash)
        return { matches: isRight && stored !== null, beganAt, tookMs: clock.now() - beganAt }
      }),
    isOutdated: (stored) => isOutdated(stored, settings),
  }
}

/** Stores the passwords of new accounts; an account without one has no row. */
export function storePasswords(
  trx: DatabaseOrTransaction,
  passwords: readonly StoredPassword[],
): Promise<void> {
  return passwordStore(trx).insert(passwords)
}

/** Sets the password of an account, a first one perhaps, or whether the next login must set one. */
export function changePassword(
  trx: DatabaseOrTransaction,
  account: number,
  change: PasswordChange,
  now: number,
): Promise<void> {
  return passwordStore(trx).change(account, change, now)
}

/** Replaces a hash by a better one of the same password, unless it was replaced meanwhile. */
export function replaceHash(
  db: DatabaseOrTransaction,
  account: number,
  from: string,
  to: string,
): Promise<void> {
  return passwordStore(db).replaceHash(account, from, to)
}
