import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inContext } from '../events/context.ts'
import type { Clock } from '../lib/clock.ts'
import { type Measurements, ofJob } from '../measurements/measurements.ts'
import type { Workers } from '../workers/workers.ts'

/** Work that is repeated on a schedule. A failure is logged, and the next run tries again. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /**
   * Whether each worker runs it, because it is about the memory of a process. Any other job is done
   * once: by the first worker.
   */
  readonly inEachWorker?: boolean
  /** Whether it reads files that were changed: SIGHUP runs it at once. */
  readonly readsFiles?: boolean
  /**
   * Whether there is nothing to do; asked before each run of the schedule. For a job that looks ten times
   * a second: it makes no promise and no asynchronous context then.
   */
  isIdle?(): boolean
  /** Does the work once; ends early if `stop` aborts because the service stops. */
  run(stop?: AbortSignal): Promise<unknown>
}

/** Answers the job with a context that names a job as the actor of its events. */
export function inJobContext({ run, ...job }: Job): Job {
  return { ...job, run: (stop) => inContext('job', () => run(stop)) }
}

// A pause between two batches, in which requests are served.
const restMs = 2

type PurgeBatch = (batchSize: number) => Promise<number>

/**
 * Makes the `run` of jobs that purge in batches until no expired row is left, and answers how many
 * rows were deleted. Of all these jobs one batch runs at a time, so that a request waits for one at
 * most.
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

/** The jobs that a worker runs. */
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

/** Schedules the jobs; answers a function that stops them and waits for those under way. */
export function startJobs(jobs: readonly Job[], deps: JobsDeps): () => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const stop = new AbortController()
  const timers = jobs.map((job) => {
    const measured = ofJob(deps.measurements, job.name) // it is shown before its first run
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

/** Runs a job once, and measures it. Never throws. */
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
