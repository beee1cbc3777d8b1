import { inNoContext } from '../events/context.ts'
import type { Clock } from '../kernel/clock.ts'

/**
 * Something of a provider's that is fetched, kept, fetched anew behind the requests once it is old,
 * and kept on while that fails.
 */
export interface LastGood<T> {
  /** Differs once something was loaded anew. */
  readonly generation: number
  /** What is kept, at once; undefined where nothing was ever loaded, or too long ago. */
  peek(): T | undefined
  /** What is kept, or else loads it. @throws what `load` threw, while there is nothing */
  get(): Promise<T>
  /** Loads anew, unless that was tried a moment ago, and answers what is kept then. */
  renew(): Promise<T>
}

export interface LastGoodOptions<T> {
  readonly clock: Clock
  readonly load: () => Promise<T>
  /** Older than this it is loaded anew. */
  readonly freshMs: number
  /** Between two tries, failed or not: whoever provokes tries causes no more than this. */
  readonly coolDownMs: number
  /** Older than this it is worth nothing. */
  readonly keptMs: number
}

// While there is nothing at all, nobody is served: the next try comes sooner.
const firstCoolDownMs = 5000

export function lastGood<T>({
  clock,
  load,
  freshMs,
  coolDownMs,
  keptMs,
}: LastGoodOptions<T>): LastGood<T> {
  let kept: { readonly value: T; readonly loadedAt: number } | undefined
  let generation = 0
  let triedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let loading: Promise<void> | undefined

  function peek(): T | undefined {
    const age = kept ? clock.now() - kept.loadedAt : 0
    if (age >= keptMs) kept = undefined
    if (age >= freshMs) void tryToLoad()
    return kept?.value
  }

  async function renew(): Promise<T> {
    await tryToLoad()
    if (!kept) throw failure
    return kept.value
  }

  return {
    get generation() {
      return generation
    },
    peek,
    renew,
    get: async () => peek() ?? renew(),
  }

  /** One load for all who wait. Never rejects. */
  function tryToLoad(): Promise<void> | undefined {
    const now = clock.now()
    const coolDown = kept ? coolDownMs : Math.min(coolDownMs, firstCoolDownMs)
    // A clock that was set back must not make it wait for its old time.
    if (loading || Math.abs(now - triedAt) < coolDown) return loading
    triedAt = now
    loading = inNoContext(load)
      .then(
        (value) => {
          kept = { value, loadedAt: clock.now() }
          generation += 1
        },
        (error: unknown) => {
          failure = error
        },
      )
      .finally(() => {
        loading = undefined
      })
    return loading
  }
}
