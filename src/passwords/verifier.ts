import type { Database } from '../database/database.ts'
import { inNoContext } from '../events/context.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { randomText } from '../kernel/random.ts'
import { dearestKinds, type HashKind, hashKindOf, storedHashKinds } from './hash-kinds.ts'
import type { Passwords, Verification } from './passwords.ts'

/**
 * Verifies the passwords of logins, and keeps the time of a refusal from telling which account has
 * an imported hash: some of those take twenty times as long as ours, some a seventh. While a hash
 * of another kind than ours is stored, a refusal is told once the dearest kind could have been
 * verified. That costs time and no work: an unknown username is verified with our own kind, and
 * waits. Where all hashes are of our kind all take the same work, and nothing waits. docs/adr/0020
 */
export interface Verifier {
  /**
   * Looks which kinds there are, and what a new one costs here; before a login takes its places,
   * since that may take a while, once. @throws ApiError serviceUnavailable
   */
  prepare(): Promise<void>
  /** As `verify` of `Passwords`. @throws ApiError serviceUnavailable */
  verify(password: string, hash: string | null, beginBy: number): Promise<Verification>
  /** Resolves when a refusal may be told, however long its verification took. */
  untilRefusal(verification: Verification): Promise<void>
}

export interface VerifierDeps {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: Pick<Passwords, 'atOnce' | 'dummy' | 'verify'>
  readonly random: Random
}

// What another process imports is noticed this soon.
const lookEveryMs = 1000
// The time of a kind: the third longest of its last fifty verifications, and a quarter more.
const keptTimes = 50
const ignoredTimes = 2
const margin = 1.25
// A refusal waits no longer, whatever was measured and however many stand before it.
const maxWaitMs = 5000
const exampleBytes = 16

export function createVerifier({ db, clock, passwords, random }: VerifierDeps): Verifier {
  const times = new Map<string, number[]>()
  /** When each place of the queue would be free, if all took as long as the dearest. */
  const doneAt = Array.from({ length: passwords.atOnce }, () => 0)
  let dearest: readonly HashKind[] = []
  let isUneven = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let look: Promise<void> | undefined

  return {
    /** All who come meanwhile wait for the same look. */
    async prepare() {
      const age = clock.now() - lookedAt
      if (age >= 0 && age < lookEveryMs) return
      look ??= inNoContext(lookAtKinds).finally(() => {
        look = undefined
      })
      await look
    },

    async verify(password, hash, beginBy) {
      const verification = await passwords.verify(password, hash, beginBy)
      note(hashKindOf(hash ?? (await passwords.dummy())), verification)
      return verification
    },

    async untilRefusal({ beganAt }) {
      const waitMs = refusalMs()
      if (waitMs === 0) return
      const now = clock.now()
      const at = Math.min(Math.max(beganAt, nextTurn(now)) + waitMs, now + maxWaitMs)
      doneAt[doneAt.indexOf(Math.min(...doneAt))] = at
      if (at > now) await clock.wait(at - now)
    },
  }

  /**
   * Refusals stand in the line that verifications of the dearest kind would make: otherwise who
   * sends several at once would see by the others how long each has kept the queue busy.
   */
  function nextTurn(now: number): number {
    const at = Math.min(...doneAt)
    return at > now + maxWaitMs ? now : at // the clock was set back
  }

  /** How long a refusal takes from the start of its verification; 0 where nothing waits. */
  function refusalMs(): number {
    if (!isUneven) return 0
    return Math.ceil(Math.max(...dearest.map(({ name }) => timeOf(name))) * margin)
  }

  function timeOf(kind: string): number {
    const longestFirst = (times.get(kind) ?? []).toSorted((a, b) => b - a)
    return longestFirst[Math.min(ignoredTimes, longestFirst.length - 1)] ?? 0
  }

  function note(kind: string, { tookMs }: Verification): void {
    if (!isUneven || !dearest.some(({ name }) => name === kind)) return
    const kept = times.get(kind) ?? []
    times.set(kind, [...kept.slice(1 - keptTimes), tookMs])
  }

  async function lookAtKinds(): Promise<void> {
    const now = clock.now()
    const dummy = await passwords.dummy()
    const own = { name: hashKindOf(dummy), example: dummy }
    const others = (await storedHashKinds(db)).filter(({ name }) => name !== own.name)
    const wanted = others.length > 0 ? dearestKinds([own, ...others]) : []
    // The first verification of a kind here says what to expect of the next ones.
    const unmeasured = wanted.filter(({ name }) => !times.has(name))
    for (const kind of unmeasured) times.set(kind.name, [await measure(kind)])
    for (const kind of times.keys()) {
      if (!wanted.some(({ name }) => name === kind)) times.delete(kind)
    }
    dearest = wanted
    isUneven = others.length > 0
    lookedAt = now
  }

  async function measure({ example }: HashKind): Promise<number> {
    return (await passwords.verify(randomText(random, exampleBytes), example)).tookMs
  }
}
