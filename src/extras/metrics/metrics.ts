import type { Family } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'
import type { Needs } from '../../core/module/services.ts'
import { exposition, type Form } from './exposition.ts'
import { processFamilies } from './process-families.ts'
import type { RefusalCounts } from './refusal-counts.ts'
import { createRuntimeMetrics } from './runtime-families.ts'
import { serviceFamilies } from './service-families.ts'
import { createWorkerFamilies } from './worker-families.ts'

/** The metrics of this service on this machine: of all its workers. */
export interface Metrics {
  /** Answers them as text. Callers at the same time share one. */
  text(form: Form): Promise<string>
  /** Ends what observes the process. */
  stop(): void
}

interface Measured {
  readonly monitoring: readonly Monitoring[]
  readonly refusals: RefusalCounts
}

const topic = 'metrics'

export function createMetrics(needs: Needs, { monitoring, refusals }: Measured): Metrics {
  const { assertDatabaseServes, feed, measurements, workers } = needs
  const underWay = new Map<Form, Promise<string>>()
  const worker = String(workers.index)
  const runtime = createRuntimeMetrics(worker)
  const ofService = monitoring.flatMap(({ serviceMetrics }) => serviceMetrics?.(needs) ?? [])
  const workerFamilies = createWorkerFamilies()

  /** What this process tells of itself, which the others may ask for. */
  const own = async (): Promise<readonly Family[]> => {
    const feedLagSeconds = (feed.lagMs?.() ?? 0) / 1000
    const families = [
      ...processFamilies({ measurements, refusals, worker, feedLagSeconds }),
      ...monitoring.flatMap(({ processMetrics }) => processMetrics?.(needs, worker) ?? []),
    ]
    return [...families, ...(await runtime.families())]
  }
  workers.onAsked(topic, own)

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
    const ofModules: Family[] = []
    for (const families of ofService) ofModules.push(...(await families({ fromDatabase })))
    const answered = 1 + polled.length - silent
    const service = serviceFamilies(needs, { answered, isDatabaseUp, silent })
    return exposition([[...service, ...ofModules], mine, ...families], form)
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
