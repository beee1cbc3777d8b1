import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inContext } from '../events/context.ts'

/** Work that nobody asks for: done again and again in small steps, a failure logged and retried. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** Ends early, where it can, once the signal says that the service stops. */
  run(stop?: AbortSignal): Promise<unknown>
}

/** The same job; its events say that a job did it. */
export function inJobContext({ run, ...job }: Job): Job {
  return { ...job, run: (stop) => inContext('job', () => run(stop)) }
}

// Where a million rows are to go, requests come in between.
const restMs = 5

type Remove = (most: number) => Promise<number>

/**
 * Makes jobs that remove in batches of `most` until nothing is left to remove, and answer how many
 * were removed. Of all that it makes one batch is removed at a time: a request waits for one at most.
 */
export function inBatches(most: number): (remove: Remove) => Job['run'] {
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

/** Starts the jobs; the answer stops them and waits for those that are under way. */
export function startJobs(jobs: readonly Job[], log: Logger): () => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const stop = new AbortController()
  const timers = jobs.map((job) =>
    setInterval(() => {
      if (underWay.has(job.name)) return
      const done = attempt(job, log, stop.signal).finally(() => underWay.delete(job.name))
      underWay.set(job.name, done)
    }, job.everyMs).unref(),
  )
  return async () => {
    for (const timer of timers) clearInterval(timer)
    stop.abort()
    await Promise.all(underWay.values())
  }
}

async function attempt({ name, run }: Job, log: Logger, stop: AbortSignal): Promise<void> {
  try {
    await run(stop)
  } catch (error) {
    log.error({ err: error, job: name }, 'a job failed and will be tried again')
  }
}
