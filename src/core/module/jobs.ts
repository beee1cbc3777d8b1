import { inBatches, inJobContext, type Job } from '../runtime/jobs.ts'
import type { Module } from './module.ts'
import type { Needs } from './services.ts'

export const purgeEveryMs = 60_000
// On SQLite a batch blocks all requests: 0.1 to 1 ms with 1,000,000 users (median per table).
// docs/adr/0049
export const purgeBatchSize = 50

/** All purge jobs share a queue that runs one batch at a time. */
export function jobsOf(modules: readonly Pick<Module, 'jobs'>[], needs: Needs): readonly Job[] {
  const purging = inBatches(purgeBatchSize)
  return modules
    .flatMap((module) => module.jobs?.(needs) ?? [])
    .map((job) =>
      inJobContext(
        'purge' in job
          ? { name: job.name, everyMs: job.everyMs ?? purgeEveryMs, run: purging(job.purge) }
          : job,
      ),
    )
}
