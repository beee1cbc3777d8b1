import { latestSchema, schemaVersion } from '../../core/database/migrate.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Module } from '../../core/module/module.ts'
import { loadMonitoring, type StatusPart, statusPart } from '../../core/module/monitoring.ts'
import { createClaims } from '../../core/module/registry.ts'
import type { JobStates } from './job-states.ts'
import { Job, SchemaState } from './schemas.ts'

/** @throws Error for a duplicate name */
export async function statusParts(
  modules: readonly Module[],
  jobStates: JobStates,
): Promise<readonly StatusPart[]> {
  const own = { module: 'status', status: [schema, jobs(jobStates)] }
  const claim = createClaims()
  return [own, ...(await loadMonitoring(modules))].flatMap(({ module, status = [] }) => {
    for (const { name } of status) claim('part of the status', name, module)
    return status
  })
}

const schema = statusPart({
  name: 'schema',
  schema: SchemaState,
  example: { version: 25, latest: 25 },
  read: async ({ db }) => ({ version: await schemaVersion(db), latest: latestSchema }),
})

const jobs = (jobStates: JobStates) =>
  statusPart({
    name: 'jobs',
    schema: { type: 'array', items: Job },
    description: 'Of this machine; of a job that each process runs, the one that fares worst',
    example: [],
    async read() {
      const states = await jobStates.read()
      return states.map((job) => ({
        name: job.name,
        every_seconds: job.everyMs / 1000,
        last_run_at: isoTimeOrNull(job.lastRunAt),
        last_success_at: isoTimeOrNull(job.lastSuccessAt),
        last_failure_at: isoTimeOrNull(job.lastFailureAt),
        failures: job.failures,
        result: job.result,
        overdue: job.isOverdue,
      }))
    },
  })
