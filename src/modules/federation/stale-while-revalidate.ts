import { inNoContext } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'

/** Reloads a stale document in the background, and uses the stale document while loading fails. */
export interface StaleWhileRevalidate<T> {
  /** Changes with each reload. */
  readonly generation: number
  /** Undefined if absent or older than `keptMs`. */
  peek(): T | undefined
  /** @throws as `load`, if nothing is cached */
  get(): Promise<T>
  /** Reloads, unless tried a moment ago. @throws as `get` */
  renew(): Promise<T>
}

export interface StaleWhileRevalidateOptions<T> {
  readonly clock: Clock
  readonly load: () => Promise<T>
  /** Older documents are reloaded. */
  readonly freshMs: number
  /** Between reloads, which callers can provoke. */
  readonly coolDownMs: number
  /** Older documents are dropped. */
  readonly keptMs: number
}

// Without any document no request can be served.
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

  /** One load for all callers. Never rejects. */
  function tryToLoad(): Promise<void> | undefined {
    const now = clock.now()
    const coolDown = kept ? coolDownMs : Math.min(coolDownMs, firstCoolDownMs)
    // Math.abs: a clock that was set back must not postpone the retry.
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
