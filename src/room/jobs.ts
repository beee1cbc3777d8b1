import { inBatches, inJobContext, type Job } from '../runtime/jobs.ts'
import type { Room } from './room.ts'

export const purgeEveryMs = 60_000
// On SQLite a batch blocks all requests; this one takes 20 ms in a large database.
export const purgeBatchSize = 250

/** Lists the jobs of the rooms; all purge jobs share a queue that runs one batch at a time. */
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
