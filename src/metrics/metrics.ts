import type { AuditProof } from '../audit/proof.ts'
import type { ChangeFeed } from '../database/database.ts'
import type { Measurements } from '../measurements/measurements.ts'
import type { Workers } from '../workers/workers.ts'
import { exposition, type Form } from './exposition.ts'
import type { Family } from './family.ts'
import { processFamilies } from './process-families.ts'
import type { RefusalCounts } from './refusal-counts.ts'
import { createRuntimeMetrics } from './runtime-families.ts'
import { type ServiceDeps, serviceFamilies } from './service-families.ts'

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
  readonly feed: Pick<ChangeFeed, 'lagSeconds'>
  readonly measurements: Measurements
  readonly refusals: RefusalCounts
  readonly workers: Pick<Workers, 'askOthers' | 'index' | 'onAsked'>
}

const topic = 'metrics'

export function createMetrics(deps: MetricsDeps): Metrics {
  const { feed, measurements, refusals, workers } = deps
  const underWay = new Map<Form, Promise<string>>()
  const worker = String(workers.index)
  const runtime = createRuntimeMetrics(worker)

  /** What this process tells of itself, which the others may ask for. */
  const own = async (): Promise<readonly Family[]> => {
    const feedLagSeconds = feed.lagSeconds?.() ?? 0
    const auditLag = deps.auditProof?.lag() ?? null
    const state = { measurements, refusals, worker, feedLagSeconds, auditLag }
    const families = processFamilies(state)
    return [...families, ...(await runtime.families())]
  }
  workers.onAsked(topic, own)

  async function read(form: Form): Promise<string> {
    const [mine, theirs] = await Promise.all([own(), workers.askOthers(topic)])
    // A worker that starts or has ended has nothing to tell.
    const others = theirs.filter((answer) => Array.isArray(answer)) as (readonly Family[])[]
    const service = await serviceFamilies(deps, 1 + others.length)
    return exposition([service, mine, ...others], form)
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
