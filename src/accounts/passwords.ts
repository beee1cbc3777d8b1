import type { Config } from '../config.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { type HashingQueue, hashingQueue } from './hashing-queue.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'

/** Hashing and verifying through the bounded queue, at the configured cost. */
export interface Passwords {
  /** @throws ApiError serviceUnavailable where too many wait already; so does every verb here */
  hash(password: string): Promise<string>
  verify(password: string, stored: string): Promise<boolean>
  /** Costs what a wrong password costs, for a username that nobody has. Always false. */
  burn(password: string): Promise<boolean>
  /** The hash of a password that nobody knows, not even we: it verifies like any other, as wrong. */
  none(): Promise<string>
  isOutdated(stored: string): boolean
}

const unknownBytes = 32

export function createPasswords(
  { password: settings }: Pick<Config, 'password'>,
  random: Random,
  queue: HashingQueue = hashingQueue(),
): Passwords {
  // Of a password that nobody knows, at the present cost; the start does not wait for it.
  const decoy = hashPassword(randomText(random, unknownBytes), settings, random)
  return {
    none: () => queue.run(() => hashPassword(randomText(random, unknownBytes), settings, random)),
    hash: (password) => queue.run(() => hashPassword(password, settings, random)),
    verify: (password, stored) => queue.run(() => verifyPassword(password, stored)),
    burn: async (password) => {
      await queue.run(async () => verifyPassword(password, await decoy))
      return false
    },
    isOutdated: (stored) => isOutdated(stored, settings),
  }
}
