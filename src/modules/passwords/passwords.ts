import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import { beginSpan } from '../../core/events/context.ts'
import type { Needs } from '../../core/module/services.ts'
import { parseForeign } from './foreign-hash.ts'
import { type HashingQueue, hashingQueue, retryAfterSeconds } from './hashing-queue.ts'
import { hashing, measuredQueue } from './measured-queue.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'
import { type PasswordChange, passwordStore, type StoredPassword } from './store.ts'
import { wrapHash } from './wrapped-hash.ts'

export interface Passwords {
  readonly concurrency: number
  /** @throws ApiError serviceUnavailable if the queue is full */
  hash(password: string): Promise<string>
  /**
   * What may be stored of an acceptable imported hash: itself, or Argon2id over a foreign hash.
   * @throws ApiError serviceUnavailable if the queue is full
   */
  storable(hash: string): Promise<string>
  /**
   * `stored` is null for unknown usernames and accounts without password: verifies the dummy hash,
   * never matches. `beginBy`: the latest start, epoch milliseconds. @throws ApiError
   * serviceUnavailable if the queue is full, or after `beginBy`
   */
  verify(password: string, stored: string | null, beginBy?: number): Promise<Verification>
  /** Of a random password, at the configured cost. */
  dummy(): Promise<string>
  isOutdated(stored: string): boolean
}

export interface Verification {
  readonly matches: boolean
  /** Epoch milliseconds. */
  readonly beganAt: number
  readonly tookMs: number
}

const unknownBytes = 32

export function createPasswords(
  {
    config: { password: settings },
    clock,
    measurements,
    random,
    workers,
  }: Pick<Needs, 'config' | 'clock' | 'measurements' | 'random' | 'workers'>,
  given: HashingQueue = hashingQueue({ running: settings.hashesAtOnce, share: workers.share }),
): Passwords {
  const queue = measuredQueue(given, measurements.of(hashing))
  // Startup does not wait for this.
  const dummy = hashPassword(randomText(random, unknownBytes), settings, random)
  return {
    concurrency: queue.concurrency,
    dummy: () => dummy,
    hash: (password) => queued('hash password', () => hashPassword(password, settings, random)),
    async storable(hash) {
      const foreign = parseForeign(hash)
      return foreign ? queued('wrap hash', () => wrapHash(foreign, settings, random)) : hash
    },
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

  /** Queues the work; its span records the wait. */
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

export function storePasswords(
  trx: DatabaseOrTransaction,
  passwords: readonly StoredPassword[],
): Promise<void> {
  return passwordStore(trx).insert(passwords)
}

/**
 * Changes the password or the forced change at the next login. The account may have no password.
 */
export function changePassword(
  trx: DatabaseOrTransaction,
  account: number,
  change: PasswordChange,
  now: number,
): Promise<void> {
  return passwordStore(trx).change(account, change, now)
}

/** Removes a password set at or after `since`, epoch milliseconds; returns whether. */
export function voidPasswordSince(
  trx: DatabaseOrTransaction,
  account: number,
  since: number,
): Promise<boolean> {
  return passwordStore(trx).voidSince(account, since)
}

/** Rehashes the same password, unless the hash changed. */
export function replaceHash(
  db: DatabaseOrTransaction,
  account: number,
  from: string,
  to: string,
): Promise<void> {
  return passwordStore(db).replaceHash(account, from, to)
}
