import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Work that nobody asks for: done again and again in small steps, a failure logged and retried. */
export interface Chore {
  readonly name: string
  readonly everyMs: number
  /** Ends early, where it can, once the signal says that the service stops. */
  run(stop?: AbortSignal): Promise<unknown>
}

/**
 * Removes in batches of `most` until nothing is left to remove, with a turn for others between
 * them; answers how many were removed.
 */
export function inBatches(
  most: number,
  remove: (most: number) => Promise<number>,
): (stop?: AbortSignal) => Promise<number> {
  return async (stop) => {
    let total = 0
    for (;;) {
      const removed = await remove(most)
      total += removed
      if (removed < most || stop?.aborted) return total
      await setImmediate()
    }
  }
}

/** Starts the chores; the answer stops them and waits for those that are under way. */
export function startChores(chores: readonly Chore[], log: Logger): () => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const stop = new AbortController()
  const timers = chores.map((chore) =>
    setInterval(() => {
      if (underWay.has(chore.name)) return
      const done = attempt(chore, log, stop.signal).finally(() => underWay.delete(chore.name))
      underWay.set(chore.name, done)
    }, chore.everyMs).unref(),
  )
  return async () => {
    for (const timer of timers) clearInterval(timer)
    stop.abort()
    await Promise.all(underWay.values())
  }
}

async function attempt({ name, run }: Chore, log: Logger, stop: AbortSignal): Promise<void> {
  try {
    await run(stop)
  } catch (error) {
    log.error({ err: error, chore: name }, 'a chore failed and will be tried again')
  }
}
