import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { OfModule } from './service-graph.ts'

/** The end of services, in two phases. A phase never throws: a failure is logged. */
export interface Closing {
  /** Ends the own work of all services. */
  stop(): Promise<void>
  /** Writes what the services hold, in the reverse order of the modules. */
  close(): Promise<void>
}

/** How long the services of a module may take for a phase. */
const boundMs = 2000

type Phase = 'stop' | 'close'

/** The services of a module end in the order of their list. */
export function closingOf(
  services: readonly OfModule[],
  made: Readonly<Record<string, unknown>>,
  { wait, log }: { readonly wait: Clock['wait']; readonly log: Logger },
): Closing {
  const modules = [...Map.groupBy(services, ({ module }) => module)].reverse()

  async function run(phase: Phase): Promise<void> {
    for (const [module, own] of modules) {
      const ending = own.filter(({ service }) => service[phase])
      if (ending.length > 0) await bounded(phase, module, () => endAll(phase, ending))
    }
  }

  async function endAll(phase: Phase, own: readonly OfModule[]): Promise<void> {
    for (const { service } of own) await service[phase]?.(made as never) // it has what it has made
  }

  async function bounded(phase: Phase, module: string, work: () => Promise<void>): Promise<void> {
    const ended = new AbortController()
    const late = wait(boundMs, ended.signal).then(() => {
      if (ended.signal.aborted) return
      log.error({ module, phase }, `a module did not end within ${boundMs} ms`)
    })
    const done = work().catch((error: unknown) => {
      log.error({ err: error, module, phase }, 'a module did not end as it should')
    })
    await Promise.race([done, late])
    ended.abort()
  }

  return { stop: () => run('stop'), close: () => run('close') }
}
