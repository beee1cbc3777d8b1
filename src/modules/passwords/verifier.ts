import { randomText } from '../../core/crypto/random.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Needs } from '../../core/module/services.ts'
import { costliestKinds, type HashKind, hashKindOf, storedHashKinds } from './hash-kinds.ts'
import type { Verification } from './passwords.ts'

/**
 * Prevents a timing attack: the time of a rejection must not show which account has an imported
 * hash, which may take twenty times or a seventh of our time. While other kinds are stored,
 * rejections wait for the time of the costliest kind, without computing. Unknown usernames use our
 * kind, then wait. docs/adr/0020
 */
export interface Verifier {
  /**
   * Reads the stored kinds, and measures new kinds. Call before limits count the attempt: measuring
   * is slow. @throws ApiError serviceUnavailable
   */
  prepare(): Promise<void>
  /** See `verify` of `Passwords`. @throws ApiError serviceUnavailable */
  verify(password: string, hash: string | null, beginBy: number): Promise<Verification>
  /** Resolves when the rejection may be sent. */
  untilRefusal(verification: Verification): Promise<void>
}

// The delay to notice imports by other processes.
const readEveryMs = 1000
// Estimate: the third longest of the last fifty, plus a quarter.
const keptTimes = 50
const ignoredTimes = 2
const margin = 1.25
// Upper bound for the wait of a rejection.
const maxWaitMs = 5000
const exampleBytes = 16

export function createVerifier({
  db,
  clock,
  passwords,
  random,
}: Pick<Needs, 'db' | 'clock' | 'passwords' | 'random'>): Verifier {
  const times = new Map<string, number[]>()
  /** When each slot would be free if all verifications used the costliest kind. */
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
      // Only our kind: no rejection waits.
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
   * Rejections queue as if all were of the costliest kind; otherwise parallel attempts would reveal
   * how long each occupied the queue.
   */
  function nextFree(now: number): number {
    const at = Math.min(...freeAt)
    return at > now + maxWaitMs ? now : at // the clock was set back
  }

  /** From the start of the verification; 0: no wait. */
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
    // A kind's first verification provides the estimate.
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
