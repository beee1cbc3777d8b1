import { parseWorkers, wantsSeveral } from './count.ts'
import { soleProcess, stopSignals, type Workers } from './workers.ts'

/**
 * Serves in this process, or with WORKERS in several: then this process is their primary, or one of
 * them. `serve` imports the service, so that the primary does not load it.
 */
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
    return serve(workers) // it joins while the service is loaded
  }
  const { runPrimary } = await import('./primary.ts')
  runPrimary(parseWorkers(env.WORKERS), env)
}

/**
 * Ends the process at a signal that comes before the service has listeners of its own: it has nothing
 * to answer yet. Without a listener the first process of a container does not hear the signal at all.
 */
function endAtSignal(): void {
  for (const signal of stopSignals(soleProcess)) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0)
    })
  }
  // Their listeners come with the service too, and until then they must not end it.
  for (const signal of ['SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {})
}
