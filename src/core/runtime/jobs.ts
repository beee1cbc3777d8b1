import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inContext } from '../events/context.ts'
import type { Clock } from '../lib/clock.ts'
import { type Measurements, ofJob } from '../measurements/measurements.ts'
import type { Workers } from '../workers/workers.ts'

/** A failure is logged; the next run retries. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** For work on process memory. Other jobs run in the first worker only. */
  readonly inEachWorker?: boolean
  /** SIGHUP runs the job at once. */
  readonly readsFiles?: boolean
  /** Saves promises and contexts of a job that runs ten times a second. */
  isIdle?(): boolean
  /** Ends early when `stop` aborts. */
  run(stop?: AbortSignal): Promise<unknown>
}

/** Names a job as the actor of events. */
export function inJobContext({ run, ...job }: Job): Job {
  return { ...job, run: (stop) => inContext('job', () => run(stop)) }
}

// Lets requests run between batches.
const restMs = 2

type PurgeBatch = (batchSize: number) => Promise<number>

/**
 * Runs until no expired row is left; returns the deleted rows. One batch at a time across jobs: a
 * request waits for at most one.
 */
export function inBatches(batchSize: number): (purgeBatch: PurgeBatch) => Job['run'] {
  let last: Promise<unknown> = Promise.resolve()
  return (purgeBatch) => async (stop) => {
    let total = 0
    for (;;) {
      const batch = last.then(() => (stop?.aborted ? 0 : purgeBatch(batchSize)))
      last = batch.catch(() => {})
      const deleted = await batch
      total += deleted
      if (deleted < batchSize || stop?.aborted) return total
      await setTimeout(restMs)
    }
  }
}

export function jobsOfWorker(
  jobs: readonly Job[],
  { index }: Pick<Workers, 'index'>,
): readonly Job[] {
  return jobs.filter(({ inEachWorker = false }) => inEachWorker || index === 0)
}

export interface JobsDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly measurements: Pick<Measurements, 'jobs'>
}

/** Returns a function that stops the jobs and waits for them. */
export function startJobs(jobs: readonly Job[], deps: JobsDeps): () => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const stop = new AbortController()
  const timers = jobs.map((job) => {
    const measured = ofJob(deps.measurements, job.name) // creates the metric before the first run
    measured.everyMs = job.everyMs
    return setInterval(() => {
      if (underWay.has(job.name)) return
      if (job.isIdle?.()) {
        measured.lastRunAt = deps.clock.now()
        measured.lastSuccessAt = measured.lastRunAt
        measured.lastResult = 'succeeded'
        return
      }
      const done = attempt(job, deps, stop.signal).finally(() => underWay.delete(job.name))
      underWay.set(job.name, done)
    }, job.everyMs).unref()
  })
  return async () => {
    for (const timer of timers) clearInterval(timer)
    stop.abort()
    await Promise.all(underWay.values())
  }
}

/** Never throws. */
export async function attempt(
  { name, run }: Job,
  { clock, log, measurements }: JobsDeps,
  stop: AbortSignal,
): Promise<void> {
  const measured = ofJob(measurements, name)
  const beganAt = performance.now()
  measured.lastRunAt = clock.now()
  try {
    await run(stop)
    measured.succeeded += 1
    measured.lastResult = 'succeeded'
    measured.lastSuccessAt = clock.now()
  } catch (error) {
    measured.failed += 1
    measured.lastResult = 'failed'
    measured.lastFailureAt = clock.now()
    log.error({ err: error, job: name }, 'a job failed and will be tried again')
  } finally {
    measured.durations.observeSince(beganAt)
  }
}
