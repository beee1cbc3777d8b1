import { inBatches, inJobContext, type Job } from '../runtime/jobs.ts'
import type { LoadedRoom } from './serve.ts'

export const purgeEveryMs = 60_000
// On SQLite a batch blocks all requests: it takes one to two ms in a database of 1,000,000 users, and
// stays below 5 ms (npm run bench).
export const purgeBatchSize = 50

/** Lists the jobs of the rooms; all purge jobs share a queue that runs one batch at a time. */
export function jobsOf<Needs>(rooms: readonly LoadedRoom<Needs>[], needs: Needs): readonly Job[] {
  const purging = inBatches(purgeBatchSize)
  return rooms
    .flatMap((room) => room.jobs?.(needs) ?? [])
    .map((job) =>
      inJobContext(
        'purge' in job
          ? { name: job.name, everyMs: job.everyMs ?? purgeEveryMs, run: purging(job.purge) }
          : job,
      ),
    )
}
