import type { Random } from '../../core/crypto/random.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { Database } from '../../core/database/database.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { costliestKinds, type HashKind, hashKindOf, storedHashKinds } from './hash-kinds.ts'
import type { Passwords, Verification } from './passwords.ts'

/**
 * Verifies the passwords of logins. The time of a refusal must not show which account has an
 * imported hash: some imported kinds take twenty times as long as ours, some a seventh. While a
 * hash of another kind is stored, a refusal waits as long as the most costly kind takes. The wait
 * costs no work: an unknown username is verified with our own kind and then waits. If all hashes
 * are of our kind, they take the same time and no refusal waits. docs/adr/0020
 */
export interface Verifier {
  /**
   * Reads which kinds are stored, and measures a new kind once. Called before the limits count the
   * attempt, because a measurement takes a while. @throws ApiError serviceUnavailable
   */
  prepare(): Promise<void>
  /** Verifies as `verify` of `Passwords`. @throws ApiError serviceUnavailable */
  verify(password: string, hash: string | null, beginBy: number): Promise<Verification>
  /** Resolves when the refusal may be answered. */
  untilRefusal(verification: Verification): Promise<void>
}

export interface VerifierDeps {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: Pick<Passwords, 'concurrency' | 'dummy' | 'verify'>
  readonly random: Random
}

// An import by another process is noticed after this time.
const readEveryMs = 1000
// The time of a kind is the third longest of its last fifty verifications, plus a quarter.
const keptTimes = 50
const ignoredTimes = 2
const margin = 1.25
// A refusal waits no longer than this, even if the measured times or the queue ask for more.
const maxWaitMs = 5000
const exampleBytes = 16

export function createVerifier({ db, clock, passwords, random }: VerifierDeps): Verifier {
  const times = new Map<string, number[]>()
  /**
   * When each slot of the queue would be free if every verification were of the most costly kind.
   */
  const freeAt = Array.from({ length: passwords.concurrency }, () => 0)
  let costliest: readonly HashKind[] = []
  let hasOtherKinds = false
  let lastReadAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  return {
    /** Concurrent callers share one read. */
    async prepare() {
      const age = clock.now() - lastReadAt
      if (age >= 0 && age < readEveryMs) return
      reading ??= inNoContext(readKinds).finally(() => {
        reading = undefined
      })
      await reading
    },

    async verify(password, hash, beginBy) {
      const verification = await passwords.verify(password, hash, beginBy)
      // If all hashes are of our kind, no refusal waits, and the kind of this one is not asked.
      if (hasOtherKinds) note(hashKindOf(hash ?? (await passwords.dummy())), verification)
      return verification
    },

    async untilRefusal({ beganAt }) {
      const waitMs = refusalMs()
      if (waitMs === 0) return
      const now = clock.now()
      const at = Math.min(Math.max(beganAt, nextFree(now)) + waitMs, now + maxWaitMs)
      freeAt[freeAt.indexOf(Math.min(...freeAt))] = at
      if (at > now) await clock.wait(at - now)
    },
  }

  /**
   * When a slot would be free. Refusals queue as verifications of the most costly kind would:
   * otherwise the times of several parallel attempts would show how long each one occupied the
   * queue.
   */
  function nextFree(now: number): number {
    const at = Math.min(...freeAt)
    return at > now + maxWaitMs ? now : at // the clock was set back
  }

  /** How long a refusal takes from the start of its verification; 0 if no refusal waits. */
  function refusalMs(): number {
    if (!hasOtherKinds) return 0
    return Math.ceil(Math.max(...costliest.map(({ name }) => timeOf(name))) * margin)
  }

  function timeOf(kind: string): number {
    const longestFirst = (times.get(kind) ?? []).toSorted((a, b) => b - a)
    return longestFirst[Math.min(ignoredTimes, longestFirst.length - 1)] ?? 0
  }

  function note(kind: string, { tookMs }: Verification): void {
    if (!costliest.some(({ name }) => name === kind)) return
    const kept = times.get(kind) ?? []
    times.set(kind, [...kept.slice(1 - keptTimes), tookMs])
  }

  async function readKinds(): Promise<void> {
    const now = clock.now()
    const dummy = await passwords.dummy()
    const own = { name: hashKindOf(dummy), example: dummy }
    const others = (await storedHashKinds(db)).filter(({ name }) => name !== own.name)
    const wanted = others.length > 0 ? costliestKinds([own, ...others]) : []
    // The first verification of a kind in this process estimates the next ones.
    const unmeasured = wanted.filter(({ name }) => !times.has(name))
    for (const kind of unmeasured) times.set(kind.name, [await measure(kind)])
    for (const kind of times.keys()) {
      if (!wanted.some(({ name }) => name === kind)) times.delete(kind)
    }
    costliest = wanted
    hasOtherKinds = others.length > 0
    lastReadAt = now
  }

  async function measure({ example }: HashKind): Promise<number> {
    return (await passwords.verify(randomText(random, exampleBytes), example)).tookMs
  }
}
