import type { ChangeFeed } from '../../core/database/database.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { Workers } from '../../core/workers/workers.ts'
import type { AuditProof } from '../../modules/audit/proof.ts'
import { exposition, type Form } from './exposition.ts'
import type { Family } from './family.ts'
import { processFamilies } from './process-families.ts'
import type { RefusalCounts } from './refusal-counts.ts'
import { createRuntimeMetrics } from './runtime-families.ts'
import { createServiceFamilies, type ServiceDeps } from './service-families.ts'
import { createWorkerFamilies } from './worker-families.ts'

/** The metrics of this service on this machine: of all its workers. */
export interface Metrics {
  /** Answers them as text. Callers at the same time share one. */
  text(form: Form): Promise<string>
  /** Ends what observes the process. */
  stop(): void
}

export interface MetricsDeps extends ServiceDeps {
  /** What proves the audit log. */
  readonly auditProof?: Pick<AuditProof, 'lag'>
  readonly feed: Pick<ChangeFeed, 'lagMs'>
  readonly measurements: Measurements
  readonly refusals: RefusalCounts
  readonly workers: Pick<Workers, 'index' | 'onAsked' | 'pollOthers'>
}

const topic = 'metrics'

export function createMetrics(deps: MetricsDeps): Metrics {
  const { feed, measurements, refusals, workers } = deps
  const underWay = new Map<Form, Promise<string>>()
  const worker = String(workers.index)
  const runtime = createRuntimeMetrics(worker)
  const serviceFamilies = createServiceFamilies(deps)
  const workerFamilies = createWorkerFamilies()

  /** What this process tells of itself, which the others may ask for. */
  const own = async (): Promise<readonly Family[]> => {
    const feedLagSeconds = (feed.lagMs?.() ?? 0) / 1000
    const auditLag = deps.auditProof?.lag() ?? null
    const state = { measurements, refusals, worker, feedLagSeconds, auditLag }
    const families = processFamilies(state)
    return [...families, ...(await runtime.families())]
  }
  workers.onAsked(topic, own)

  async function read(form: Form): Promise<string> {
    const [mine, polled] = await Promise.all([own(), workers.pollOthers(topic)])
    const { silent, families } = workerFamilies.take(polled)
    const service = await serviceFamilies({ answered: 1 + polled.length - silent, silent })
    return exposition([service, mine, ...families], form)
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
