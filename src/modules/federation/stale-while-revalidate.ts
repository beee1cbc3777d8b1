import { inNoContext } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'

/**
 * Caches a document of a provider. A stale document is reloaded in the background, and is used while
 * loading fails.
 */
export interface StaleWhileRevalidate<T> {
  /** A number that changes when the document is loaded anew. */
  readonly generation: number
  /**
   * Answers the cached document at once; undefined if there is none or it is older than `keptMs`.
   */
  peek(): T | undefined
  /** Answers the cached document, or loads it. @throws what `load` threw, if there is none */
  get(): Promise<T>
  /**
   * Loads anew, unless that was tried a moment ago; answers the cached document. @throws as `get`
   */
  renew(): Promise<T>
}

export interface StaleWhileRevalidateOptions<T> {
  readonly clock: Clock
  readonly load: () => Promise<T>
  /** An older document is loaded anew. */
  readonly freshMs: number
  /** The time between two attempts to load, which callers can provoke. */
  readonly coolDownMs: number
  /** An older document is not used any more. */
  readonly keptMs: number
}

// Without any document no request can be served, so the next attempt comes sooner.
const firstCoolDownMs = 5000

export function staleWhileRevalidate<T>({
  clock,
  load,
  freshMs,
  coolDownMs,
  keptMs,
}: StaleWhileRevalidateOptions<T>): StaleWhileRevalidate<T> {
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

  /** Loads once for all waiting callers. Never rejects. */
  function tryToLoad(): Promise<void> | undefined {
    const now = clock.now()
    const coolDown = kept ? coolDownMs : Math.min(coolDownMs, firstCoolDownMs)
    // Math.abs: a clock that was set back must not postpone the next attempt.
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
