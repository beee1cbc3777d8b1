import { inBatches, inJobContext, type Job } from '../runtime/jobs.ts'
import type { Room } from './room.ts'

export const purgeEveryMs = 60_000
// On SQLite everything else waits for a step: these take 20 ms of a large database.
export const purgeBatchSize = 250

/** What runs beside the requests; of all that the rooms purge, one batch at a time. */
export async function jobsOf<Needs>(
  rooms: readonly Room<Needs>[],
  needs: Needs,
): Promise<readonly Job[]> {
  const purging = inBatches(purgeBatchSize)
  const jobs = await Promise.all(rooms.map(async (room) => (await room.jobs?.(needs)) ?? []))
  return jobs
    .flat()
    .map((job) =>
      inJobContext(
        'purge' in job ? { name: job.name, everyMs: purgeEveryMs, run: purging(job.purge) } : job,
      ),
    )
}
