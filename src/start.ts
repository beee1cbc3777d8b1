import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import { type AddressInfo, isIPv6 } from 'node:net'
import { buildApp } from './app.ts'
import { type Config, ConfigError, loadConfig } from './config/load.ts'
import { serverWarnings } from './database/postgres/server.ts'
import { reasonOf } from './kernel/reason.ts'
import { secretFields } from './room/registry.ts'
import type { Room } from './room/room.ts'
import { settingsOfRooms } from './room/settings.ts'
import { rooms as ours } from './rooms.ts'
import { createLog, systemDeps } from './runtime/deps.ts'
import { firstRunText } from './runtime/first-run.ts'
import { drainOnSignal } from './runtime/shutdown.ts'
import type { Wired } from './services.ts'

/** Starts the service. If that fails, writes the reason to standard error and exits with code 1. */
export async function start(
  env: NodeJS.ProcessEnv,
  rooms: readonly Room<Wired>[] = ours,
): Promise<void> {
  try {
    await serve(loadConfig(env, await settingsOfRooms(rooms)), rooms)
  } catch (error) {
    process.stderr.write(
      error instanceof ConfigError
        ? `${error.message}\n`
        : `Gatehouse cannot start: ${reasonOf(error)}\n`,
    )
    process.exit(1)
  }
}

async function serve(config: Config, rooms: readonly Room<Wired>[]): Promise<void> {
  const log = createLog(config.logLevel, { secretFields: secretFields(rooms) })
  const deps = systemDeps(config, { log })
  for (const warning of config.warnings) deps.log.warn(warning)
  const { server, plainHttp, makeFirstAdministrator } = await buildApp(deps, { rooms })
  drainOnSignal(server, deps.log)
  for (const warning of await serverWarnings(deps.db)) deps.log.warn(warning)
  const host = await oneAddress(config.http.host)
  const address = await server.listen({ host, port: config.http.port })
  const redirect = plainHttp && (await listen(plainHttp, host, config.http.redirectPort))
  const milliseconds = Math.round(performance.now())
  // Last, because a failed start must not create an account without showing its password.
  const firstAdministrator = await makeFirstAdministrator()
  const base_url = new URL(config.baseUrl).port === '0' ? address : config.baseUrl
  // A certificate names the host of BASE_URL and no address.
  const shown = config.http.tls ? base_url : address
  if (firstAdministrator) process.stdout.write(firstRunText(firstAdministrator, shown))
  const ports = { address, ...(redirect && { redirect }), base_url }
  deps.log.info({ event: 'sys_startup', ...ports, milliseconds }, 'ready')
  flushCompileCache()
}

/** Answers the address on which a server of plain HTTP listens. */
async function listen(server: Server, host: string, port: number | undefined): Promise<string> {
  server.listen({ host, port })
  await once(server, 'listening')
  const { address, port: taken } = server.address() as AddressInfo // it listens on a port
  return `http://${isIPv6(address) ? `[${address}]` : address}:${taken}`
}

/**
 * Resolves `localhost` to its first address. For the name itself Fastify opens an additional server
 * per further address, which answers CONNECT, an unknown expectation and malformed HTTP without our
 * headers.
 */
async function oneAddress(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host)).address : host
}
