import { packageVersion } from '../../core/config/version.ts'
import type { Family } from '../../core/measurements/family.ts'
import { gauge } from '../../core/measurements/family.ts'
import type { LoadedMonitoring } from '../../core/module/monitoring.ts'
import { createClaims } from '../../core/module/registry.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Polled } from '../../core/workers/workers.ts'
import { exposition, type Form } from './exposition.ts'
import { processFamilies } from './process-families.ts'
import type { RefusalCounts } from './refusal-counts.ts'
import { createRuntimeMetrics } from './runtime-families.ts'

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

declare module '../../core/workers/topics.ts' {
  interface PollTopics {
    metrics: Topic<[], readonly Family[]>
  }
}

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
  workers.onAsked('metrics', async () => familiesOf(await own()))

  async function read(form: Form): Promise<string> {
    const [mine, polled] = await Promise.all([own(), workers.pollOthers('metrics')])
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

interface WorkerFamilies {
  readonly families: readonly (readonly Family[])[]
  readonly silent: number
}

/**
 * A silent worker keeps its last counters: a sum that falls and rises would look like a restart.
 * Its gauges are dropped as outdated.
 */
export function createWorkerFamilies(): {
  take(polled: readonly Polled<readonly Family[]>[]): WorkerFamilies
} {
  let last: ReadonlyMap<number, readonly Family[]> = new Map()
  return {
    take(polled) {
      const answers = polled.map(({ answer, pid }) => {
        if (answer) return { pid, families: answer }
        return { pid, families: (last.get(pid) ?? []).filter(({ type }) => type !== 'gauge') }
      })
      last = new Map(answers.map(({ families, pid }) => [pid, families]))
      return {
        families: answers.map(({ families }) => families),
        silent: polled.filter(({ answer }) => !answer).length,
      }
    },
  }
}

export interface HeardService {
  /** Processes that answered the scrape. */
  readonly answered: number
  /** Processes that did not answer. */
  readonly silent: number
  readonly isDatabaseUp: boolean
}

/** Reported by one process for all. */
export function serviceFamilies(
  { config, measurements }: Pick<Needs, 'config' | 'measurements'>,
  { answered, isDatabaseUp, silent }: HeardService,
): Family[] {
  const until = measurements.certificate.validUntil()
  return [
    gauge('gatehouse_build_info', 'Always 1; the labels tell what runs.', [
      {
        value: 1,
        labels: {
          version: packageVersion(),
          node: process.versions.node,
          database: config.database.postgres ? 'postgresql' : 'sqlite',
        },
      },
    ]),
    gauge('gatehouse_workers', 'Processes of this service that have answered.', [
      { value: answered },
    ]),
    gauge(
      'gatehouse_workers_silent',
      'Processes of this service that did not answer the scrape: their gauges are left out, and their counters are those of their last answer.',
      [{ value: silent }],
    ),
    gauge(
      'gatehouse_database_up',
      'Whether the database answers and takes changes (1) or not (0).',
      [{ value: isDatabaseUp ? 1 : 0 }],
    ),
    gauge(
      'gatehouse_tls_certificate_expiry_timestamp_seconds',
      'When the certificate of TLS_CERT_FILE ends.',
      until === null ? [] : [{ value: until / 1000 }],
    ),
  ]
}
