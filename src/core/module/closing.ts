import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { OfModule } from './service-graph.ts'

/** Two phases; each logs failures instead of throwing. */
export interface Closing {
  stop(): Promise<void>
  /** Writes pending data, in reverse order of the modules. */
  close(): Promise<void>
}

/** Per module and phase. */
const boundMs = 2000

type Phase = 'stop' | 'close'

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
    for (const { service } of own) await service[phase]?.(made as never)
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
