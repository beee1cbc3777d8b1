import { parseWorkers, wantsSeveral } from './count.ts'
import { soleProcess, type Workers } from './workers.ts'

/**
 * Serves in this process, or with WORKERS in several: then this process is their primary, or one of
 * them. `serve` imports the service, so that the primary does not load it.
 */
export async function inWorkers(
  env: NodeJS.ProcessEnv,
  serve: (workers: Workers | Promise<Workers>) => Promise<void>,
): Promise<void> {
  if (!wantsSeveral(env.WORKERS)) return serve(soleProcess)
  const { default: cluster } = await import('node:cluster')
  if (cluster.isWorker) {
    const { joinPrimary } = await import('./join.ts')
    return serve(joinPrimary()) // it joins while the service is loaded
  }
  const { runPrimary } = await import('./primary.ts')
  runPrimary(parseWorkers(env.WORKERS), env)
}
