import { inBatches, inJobContext, type Job } from '../runtime/jobs.ts'
import type { LoadedRoom } from './serve.ts'

export const purgeEveryMs = 60_000
// On SQLite everything else waits for a step: these take 20 ms of a large database.
export const purgeBatchSize = 250

/** What runs beside the requests; of all that the rooms purge, one batch at a time. */
export function jobsOf<Needs>(rooms: readonly LoadedRoom<Needs>[], needs: Needs): readonly Job[] {
  const purging = inBatches(purgeBatchSize)
  return rooms
    .flatMap((room) => room.jobs?.(needs) ?? [])
    .map((job) =>
      inJobContext(
        'purge' in job ? { name: job.name, everyMs: purgeEveryMs, run: purging(job.purge) } : job,
      ),
    )
}
