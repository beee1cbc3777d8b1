import type { Family } from '../../core/measurements/family.ts'
import type { LoadedMonitoring } from '../../core/module/monitoring.ts'
import { createClaims } from '../../core/module/registry.ts'
import type { Needs } from '../../core/module/services.ts'
import { exposition, type Form } from './exposition.ts'
import { processFamilies } from './process-families.ts'
import type { RefusalCounts } from './refusal-counts.ts'
import { createRuntimeMetrics } from './runtime-families.ts'
import { serviceFamilies } from './service-families.ts'
import { createWorkerFamilies } from './worker-families.ts'

/** Of all workers on this machine. */
export interface Metrics {
  /** Parallel callers share one result. */
  text(form: Form): Promise<string>
  stop(): void
}

interface Measured {
  readonly monitoring: readonly LoadedMonitoring[]
  readonly refusals: RefusalCounts
}

interface Told {
  readonly module: string
  readonly families: readonly Family[]
}

const topic = 'metrics'

/** @throws Error if two modules use one metric name, which the library would sum */
export function createMetrics(needs: Needs, { monitoring, refusals }: Measured): Metrics {
  const { assertDatabaseServes, feed, measurements, workers } = needs
  const underWay = new Map<Form, Promise<string>>()
  const worker = String(workers.index)
  const runtime = createRuntimeMetrics(worker)
  const ofService = monitoring.flatMap(({ module, serviceMetrics }) =>
    serviceMetrics ? [{ module, read: serviceMetrics(needs) }] : [],
  )
  const workerFamilies = createWorkerFamilies()

  const ofProcess = (): Told[] => {
    const feedLagSeconds = (feed.lagMs?.() ?? 0) / 1000
    const families = processFamilies({ measurements, refusals, worker, feedLagSeconds })
    return [
      { module: 'metrics', families },
      ...monitoring.map(({ module, processMetrics }) => ({
        module,
        families: processMetrics?.(needs, worker) ?? [],
      })),
    ]
  }

  assertDistinct(ofProcess())

  /** Also requested by other workers. */
  const own = async (): Promise<readonly Told[]> => [
    ...ofProcess(),
    { module: 'metrics', families: await runtime.families() },
  ]
  workers.onAsked(topic, async () => familiesOf(await own()))

  async function read(form: Form): Promise<string> {
    const [mine, polled] = await Promise.all([own(), workers.pollOthers(topic)])
    const { silent, families } = workerFamilies.take(polled)
    let isDatabaseUp = true
    const fromDatabase = async <T>(read: () => Promise<T>): Promise<T | null> => {
      try {
        if (isDatabaseUp) return await read()
      } catch {
        isDatabaseUp = false
      }
      return null
    }
    await fromDatabase(assertDatabaseServes)
    const ofModules: Told[] = []
    for (const { module, read } of ofService) {
      ofModules.push({ module, families: await read({ fromDatabase }) })
    }
    const answered = 1 + polled.length - silent
    const core = serviceFamilies(needs, { answered, isDatabaseUp, silent })
    const service = [{ module: 'metrics', families: core }, ...ofModules]
    assertDistinct([...service, ...mine])
    return exposition([familiesOf(service), familiesOf(mine), ...families], form)
  }

  return {
    stop: () => runtime.stop(),

    text(form) {
      const reading = underWay.get(form) ?? read(form).finally(() => underWay.delete(form))
      underWay.set(form, reading)
      return reading
    },
  }
}

const familiesOf = (told: readonly Told[]) => told.flatMap(({ families }) => families)

/** @throws Error for a duplicate name */
function assertDistinct(told: readonly Told[]): void {
  const claim = createClaims()
  for (const { module, families } of told) {
    for (const { name } of families) claim('metric', name, module)
  }
}
