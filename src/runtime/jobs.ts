import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inContext } from '../events/context.ts'

/** Work that nobody asks for: done again and again in small steps, a failure logged and retried. */
export interface Chore {
  readonly name: string
  readonly everyMs: number
  /** Ends early, where it can, once the signal says that the service stops. */
  run(stop?: AbortSignal): Promise<unknown>
}

/** The same chore; its events say that a job did it. */
export function asJob({ run, ...chore }: Chore): Chore {
  return { ...chore, run: (stop) => inContext('job', () => run(stop)) }
}

// Where a million rows are to go, requests come in between.
const restMs = 5

type Remove = (most: number) => Promise<number>

/**
 * Makes chores that remove in batches of `most` until nothing is left to remove, and answer how many
 * were removed. Of all that it makes one batch is removed at a time: a request waits for one at most.
 */
export function inBatches(most: number): (remove: Remove) => Chore['run'] {
  let last: Promise<unknown> = Promise.resolve()
  return (remove) => async (stop) => {
    let total = 0
    for (;;) {
      const batch = last.then(() => (stop?.aborted ? 0 : remove(most)))
      last = batch.catch(() => {})
      const removed = await batch
      total += removed
      if (removed < most || stop?.aborted) return total
      await setTimeout(restMs)
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
