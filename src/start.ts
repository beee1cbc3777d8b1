import { flushCompileCache } from 'node:module'
import { buildApp } from './app.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { systemDeps } from './deps.ts'
import { drainOnSignal } from './shutdown.ts'
import { welcome } from './welcome.ts'

/** Starts the service; whatever keeps it from starting is told on standard error, and the exit code is 1. */
export async function start(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await serve(loadConfig(env))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(
      error instanceof ConfigError ? `${reason}\n` : `Gatehouse cannot start: ${reason}\n`,
    )
    process.exit(1)
  }
}

async function serve(config: Config): Promise<void> {
  process.umask(0o077) // the database, its log and the keys are nobody else's to read
  const deps = systemDeps(config)
  for (const warning of config.warnings) deps.log.warn(warning)
  const { server, firstAdministrator } = await buildApp(deps)
  drainOnSignal(server, deps.log)
  const address = await server.listen({ host: config.http.host, port: config.http.port })
  const milliseconds = Math.round(performance.now())
  if (firstAdministrator) process.stdout.write(welcome(firstAdministrator, address))
  deps.log.info({ event: 'sys_startup', address, base_url: config.baseUrl, milliseconds }, 'ready')
  flushCompileCache()
}
