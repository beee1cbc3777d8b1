import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import { type AddressInfo, isIPv6 } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { type Config, ConfigError, loadConfig } from './core/config/load.ts'
import { pooledRandom, systemRandom } from './core/crypto/random.ts'
import { damageIn } from './core/database/errors.ts'
import { serverWarnings } from './core/database/postgres/server.ts'
import { assertNoOlderProcess } from './core/database/sqlite/older-process.ts'
import { gatehouse } from './core/hints/command-line.ts'
import { systemClock } from './core/lib/clock.ts'
import type { Module } from './core/module/module.ts'
import { secretFields } from './core/module/registry.ts'
import { loadModules } from './core/module/serve.ts'
import { settingsOfModules } from './core/module/settings.ts'
import { reasonOf } from './core/reason.ts'
import { createLog, systemDeps } from './core/runtime/deps.ts'
import { restart, shutdown, startup } from './core/runtime/events.ts'
import { leaveServiceNote } from './core/runtime/service-note.ts'
import { drainOnSignal, type Stopping } from './core/runtime/shutdown.ts'
import { followSignals } from './core/runtime/signals.ts'
import type { Tracing } from './core/runtime/tracing.ts'
import { inWorkers } from './core/workers/start.ts'
import type { Workers } from './core/workers/workers.ts'
import type { MakeFirstAdministrator } from './modules/accounts/bootstrap.ts'
import { firstRunText, type PasswordFile, writePasswordFile } from './modules/accounts/first-run.ts'
import { modules as ours } from './modules.ts'

/**
 * Starts the service, or one of its workers; without `workers`, as WORKERS asks for. If that fails,
 * writes the reason to standard error and exits with code 1.
 */
export async function start(
  env: NodeJS.ProcessEnv,
  modules: readonly Module[] = ours,
  workers?: Workers | Promise<Workers>,
): Promise<void> {
  if (!workers) return inWorkers(env, (joined) => start(env, modules, joined))
  try {
    const joined = await workers
    const config = loadConfig(env, await settingsOfModules(modules), joined.kept)
    await serve(config, { modules, env, workers: joined })
  } catch (error) {
    process.stderr.write(
      error instanceof ConfigError
        ? `${error.message}\n`
        : `Gatehouse cannot start: ${reasonOf(error)}${hintFor(error)}\n`,
    )
    process.exit(1)
  }
}

function hintFor(error: unknown): string {
  if (damageIn(error)) {
    return `; the database is damaged: keep a copy of it, and restore a backup with \`${gatehouse} restore\` (docs/backup.md)`
  }
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken ? '; stop the program that listens there, or set PORT to another port' : ''
}

/** The first requests share the processor with nothing that can wait. */
const firstRequestsMs = 250

interface Process {
  readonly modules: readonly Module[]
  readonly env: NodeJS.ProcessEnv
  readonly workers: Workers
}

async function serve(config: Config, { modules, env, workers }: Process): Promise<void> {
  const log = createLog(config.logLevel, { secretFields: secretFields(modules), workers })
  await loadModules(modules)
  // For a first start this writes a file per module, seconds long on a busy disk, and the event loop
  // stands still: so it comes before requests, a stop and other workers expect an answer.
  flushCompileCache()
  await workers.loaded()
  // Another worker would answer from commits of this one that are not on disk yet.
  const isAlone = workers.count === 1
  const tracing = await tracingOf(config, { log, modules, workers })
  const deps = systemDeps(config, {
    ...{ log, workers, groupCommit: isAlone, checkpointThread: true, tracing },
  })
  const { dataDirectory, postgres } = config.database
  if (!postgres) await workers.holdServiceLock(dataDirectory)
  const isFirst = workers.index === 0 && workers.isFirstStart
  // Before this process opens the database, and the other workers, which wait for the first.
  if (!postgres && isFirst) assertNoOlderProcess(dataDirectory)
  if (isFirst) for (const warning of config.warnings) deps.log.warn(warning)
  const { events } = deps
  let stopping: Stopping | undefined
  const closing = () => {
    if (workers.index === 0 && !stopping?.isCrash()) events.emit(shutdown, {})
  }
  const replaced = Promise.withResolvers<string>()
  const app = await buildApp(deps, { modules, closing, replaced: replaced.resolve })
  const { server, plainHttp, makeFirstAdministrator, readFiles } = app
  followSignals({ log, readFiles, workers })
  if (isFirst) for (const warning of await serverWarnings(deps.db)) deps.log.warn(warning)
  const host = await oneAddress(config.http.host)
  const begun = Promise.withResolvers<void>()
  stopping = drainOnSignal(server, deps, workers, begun.promise)
  void replaced.promise.then(stopping.filesReplaced)
  const address = await server.listen({ host, port: config.http.port })
  const redirect = plainHttp && (await listen(plainHttp, host, config.http.redirectPort))
  await workers.listening()
  if (!stopping.isStopping()) await begin()
  begun.resolve()
  await setTimeout(firstRequestsMs, undefined, { ref: false })
  if (stopping.isStopping()) return
  await server.compileSchemas()
  flushCompileCache() // what has been loaded since

  async function begin(): Promise<void> {
    const milliseconds = Math.round(performance.now())
    // Last, because a failed start must not create an account without showing its password.
    const base_url = new URL(config.baseUrl).port === '0' ? address : config.baseUrl
    // A certificate names the host of BASE_URL and no address.
    const shown = config.http.tls ? base_url : address
    const stdout = {
      write: (text: string) => process.stdout.write(text),
      isTTY: workers.isTerminal,
    }
    if (isFirst) await firstRun(makeFirstAdministrator, { config, log, address: shown, stdout })
    // Who reads that it is ready may end a worker and expect another.
    await workers.started()
    if (workers.index === 0) {
      process.once('exit', leaveServiceNote({ config, env }, deps.random, workers.servicePid))
    }
    const ports = { address, ...(redirect && { redirect }), base_url }
    const several = workers.count > 1 && { workers: workers.count }
    if (isFirst) events.emit(startup, { ...ports, ...several, milliseconds })
    if (workers.replaces) events.emit(restart, { worker: workers.index, ...workers.replaces })
  }
}

/** Loads the export of traces, if the settings name a collector. */
async function tracingOf(
  config: Config,
  { modules, ...deps }: Pick<Process, 'modules' | 'workers'> & { readonly log: Logger },
): Promise<Tracing | null> {
  const createTracing = await modules.find(({ tracing }) => tracing)?.tracing?.(config)
  const random = pooledRandom(systemRandom) // ids of spans are small and many
  return createTracing?.(config, { ...deps, clock: systemClock, random }) ?? null
}

interface FirstRun {
  readonly config: Pick<Config, 'admin' | 'database'> & {
    /** Absent where no module is the console. */
    readonly console?: { readonly isOn: boolean }
  }
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly address: string
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean }
}

/**
 * Creates the first administrator and tells the operator how to log in. Only a terminal shows a
 * generated password. Elsewhere standard output is a log, which is copied and kept, so the password
 * goes into a file.
 * @throws Error if that cannot be written; no account is created then
 */
export async function firstRun(
  make: MakeFirstAdministrator | null,
  { config, log, address, stdout }: FirstRun,
): Promise<void> {
  if (make === null) {
    if (!config.admin.password) return
    log.warn('ADMIN_PASSWORD was not used: there are accounts, and it is for the first one alone')
    return
  }
  const isTerminal = stdout.isTTY === true
  let file: PasswordFile | undefined
  const keep = (password: string) => {
    file = writePasswordFile(config.database.dataDirectory, password)
    return file
  }
  const administrator = await make(isTerminal ? undefined : keep).catch((error: unknown) => {
    if (!file) throw error
    const hint = `the first administrator is perhaps created; its password is in ${file.path}`
    throw new Error(hint, { cause: error })
  })
  if (!administrator) return
  if (isTerminal) {
    const consoleAddress = config.console?.isOn ? `${address}/admin` : null
    stdout.write(firstRunText(administrator, { address, consoleAddress }))
  } else if (file) {
    const password_file = file.path
    log.warn(
      { password_file },
      'the first administrator is created: read its password in this file, then delete the file',
    )
  } else log.info('the first administrator is created, with ADMIN_PASSWORD')
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
