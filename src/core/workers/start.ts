import { parseWorkers, wantsSeveral } from './count.ts'
import { soleProcess, stopSignals, type Workers } from './workers.ts'

/** `serve` imports the service, so that the primary does not load the service. */
export async function inWorkers(
  env: NodeJS.ProcessEnv,
  serve: (workers: Workers | Promise<Workers>) => Promise<void>,
): Promise<void> {
  if (!wantsSeveral(env.WORKERS)) {
    endAtSignal()
    return serve(soleProcess)
  }
  const { default: cluster } = await import('node:cluster')
  if (cluster.isWorker) {
    const { joinPrimary } = await import('./join.ts')
    const { mayLoad, workers } = joinPrimary()
    await mayLoad
    return serve(workers) // joins while loading
  }
  const { runPrimary } = await import('./primary.ts')
  runPrimary(parseWorkers(env.WORKERS), env)
}

/** The first process of a container ignores signals without a handler. */
function endAtSignal(): void {
  for (const signal of stopSignals(soleProcess)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0)
    })
  }
  for (const signal of ['SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {})
}
