import { buildApp } from './app.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { type Deps, systemDeps } from './deps.ts'
import { drainOnSignal } from './shutdown.ts'
import { welcome } from './welcome.ts'

/** Starts the service: the only file that reads the environment and opens a port. */
async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env)
  process.umask(0o077) // the database, its log and the keys are nobody else's to read
  const deps = systemDeps(config)
  for (const warning of config.warnings) deps.log.warn(warning)
  const { server, firstAdministrator } = await buildApp(deps)
  drainOnSignal(server, deps.log)
  const address = await server.listen({ host: config.http.host, port: config.http.port })
  announce(deps, config, address)
  if (firstAdministrator) process.stdout.write(welcome(firstAdministrator, address))
}

function announce({ log }: Deps, config: Config, address: string): void {
  const milliseconds = Math.round(performance.now())
  log.info({ event: 'sys_startup', address, base_url: config.baseUrl, milliseconds }, 'ready')
}

try {
  await start(process.env)
} catch (error) {
  const reason =
    error instanceof ConfigError ? error.message : `Gatehouse cannot start: ${describe(error)}`
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
