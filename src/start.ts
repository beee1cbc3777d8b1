import { lookup } from 'node:dns/promises'
import { flushCompileCache } from 'node:module'
import { buildApp } from './app.ts'
import { type Config, ConfigError, loadConfig } from './config/load.ts'
import { serverWarnings } from './database/postgres/server.ts'
import { reasonOf } from './kernel/reason.ts'
import { systemDeps } from './runtime/deps.ts'
import { firstRunText } from './runtime/first-run.ts'
import { drainOnSignal } from './runtime/shutdown.ts'

/** Starts the service; whatever keeps it from starting is told on standard error, and the exit code is 1. */
export async function start(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await serve(loadConfig(env))
  } catch (error) {
    process.stderr.write(
      error instanceof ConfigError
        ? `${error.message}\n`
        : `Gatehouse cannot start: ${reasonOf(error)}\n`,
    )
    process.exit(1)
  }
}

async function serve(config: Config): Promise<void> {
  const deps = systemDeps(config)
  for (const warning of config.warnings) deps.log.warn(warning)
  const { server, makeFirstAdministrator } = await buildApp(deps)
  drainOnSignal(server, deps.log)
  for (const warning of await serverWarnings(deps.db)) deps.log.warn(warning)
  const address = await server.listen({
    host: await oneAddress(config.http.host),
    port: config.http.port,
  })
  const milliseconds = Math.round(performance.now())
  // Only now: a start that fails must not make an account whose password nobody was told.
  const firstAdministrator = await makeFirstAdministrator()
  if (firstAdministrator) process.stdout.write(firstRunText(firstAdministrator, address))
  const base_url = new URL(config.baseUrl).port === '0' ? address : config.baseUrl
  deps.log.info({ event: 'sys_startup', address, base_url, milliseconds }, 'ready')
  flushCompileCache()
}

/**
 * The first address of `localhost`. By that name Fastify opens a server of its own for each further
 * address: one that answers CONNECT, an unknown expectation and what is no HTTP without our headers.
 */
async function oneAddress(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host)).address : host
}
