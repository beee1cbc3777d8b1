import { loadConfig } from '../../src/core/config/load.ts'
import { purgeBatchSize } from '../../src/core/module/jobs.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { loadModules } from '../../src/core/module/serve.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { systemDeps } from '../../src/core/runtime/deps.ts'
import { modules } from '../../src/modules.ts'

// The jobs that purge, and deletions of users, in a process without a server: the processor time of
// each step, during which SQLite lets no request pass. The first message says where, and what to
// delete.

export interface Asked {
  /** The data directory. */
  readonly directory: string
  /** Users that are deleted first, which warms up. */
  readonly usual: readonly number[]
  /** The user who has very many posts. */
  readonly id: number
}

/** Milliseconds of processor time. */
export interface Steps {
  readonly removal: number
  /** Of each job that had much to do. */
  readonly jobs: Readonly<Record<string, readonly number[]>>
}

const maxSteps = 2000
/** A job with fewer steps had nothing to do. */
const minSteps = 20

process.once('message', async (message) => {
  process.send?.(await stepsOf(message as Asked)) // sent by parts/steps.ts
})
process.once('disconnect', () => process.exit())

async function stepsOf({ directory, usual, id }: Asked): Promise<Steps> {
  const settings = { DATA_DIR: directory, LOG_LEVEL: 'warn' }
  const deps = systemDeps(loadConfig(settings, await settingsOfModules(modules)))
  const services = await (await createServiceMaker(deps, { modules })).all()
  const remove = (user: number) => timed(() => services.users.remove(user))
  for (const user of usual) await remove(user)
  const removal = await remove(id)
  const jobs: Record<string, number[]> = {}
  const needs = { ...deps, ...services }
  for (const job of (await loadModules(modules)).flatMap((module) => module.jobs?.(needs) ?? [])) {
    if (!('purge' in job)) continue
    const taken: number[] = []
    let isMore = true
    while (isMore && taken.length < maxSteps) {
      const step = await timed(async () => {
        isMore = (await job.purge(purgeBatchSize)) === purgeBatchSize
      })
      taken.push(step)
    }
    if (taken.length >= minSteps) jobs[job.name] = taken
  }
  await deps.db.destroy()
  return { removal, jobs }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
