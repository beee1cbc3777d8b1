import { join } from 'node:path'
import { gatehouse } from '../hints/command-line.ts'
import type { ServiceMaker } from '../module/make.ts'
import type { Services } from '../module/services.ts'
import type { Deps } from '../runtime/deps.ts'
import { type CommandCall, CommandError, exitCodes } from './command.ts'
import { isDatabaseThere } from './files.ts'

/** With the database only. Creates a missing SQLite database. */
export async function withDeps<T>(
  { config, modules, terminal, values }: CommandCall,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  const { createLog, systemDeps } = await import('../runtime/deps.ts')
  const { inContext } = await import('../events/context.ts')
  const { secretFields } = await import('../module/registry.ts')
  const log = createLog(values.verbose === true ? config.logLevel : 'silent', {
    destination: { write: (line: string) => void terminal.stderr.write(line) },
    secretFields: secretFields(modules),
  })
  for (const warning of config.warnings) log.warn(warning)
  const deps = systemDeps(config, {
    log,
    nodes: {
      confirmsAtClose: true,
      ...(terminal.unheardMs !== undefined && { unheardMs: terminal.unheardMs }),
    },
    ...(terminal.clock && { clock: terminal.clock }),
  })
  try {
    return await inContext('cli', () => work(deps))
  } finally {
    await deps.db.destroy()
  }
}

/**
 * Excludes a running service on SQLite. PostgreSQL nodes may run elsewhere and are not checked.
 * @throws Error if a service runs
 */
export async function withoutService<T>(
  { config }: Pick<CommandCall, 'config'>,
  work: () => Promise<T>,
): Promise<T> {
  const { dataDirectory, postgres } = config.database
  if (postgres) return work()
  const { makeDataDirectory } = await import('../database/sqlite/connect.ts')
  const { takeServiceLock } = await import('../workers/service-lock.ts')
  makeDataDirectory(dataDirectory)
  const release = takeServiceLock(dataDirectory)
  try {
    return await work()
  } finally {
    release()
  }
}

/** @throws CommandError without a SQLite database: a mistyped DATA_DIR must not create one */
export async function assertDatabaseThere({ config }: Pick<CommandCall, 'config'>): Promise<void> {
  const { dataDirectory, postgres } = config.database
  if (postgres) return
  const { databaseFileName } = await import('../database/sqlite/connect.ts')
  const path = join(dataDirectory, databaseFileName)
  if (!isDatabaseThere(path)) throw noDatabase(path, 'DATA_DIR')
}

/**
 * All rules and hooks apply.
 * @throws CommandError without a database (mistyped DATA_DIR); Error for an older schema
 */
export async function withServices<const Names extends readonly (keyof Services)[], T>(
  call: CommandCall,
  names: Names,
  work: (
    services: Pick<Services, Names[number]>,
    deps: Deps,
    makeAll: ServiceMaker['all'],
  ) => Promise<T>,
): Promise<T> {
  const { modules } = call
  const { postgres } = call.config.database
  await assertDatabaseThere(call)
  const { warnOfOtherSettings } = await import('./other-settings.ts')
  await warnOfOtherSettings(call)
  const { createServiceMaker } = await import('../module/make.ts')
  const { systemClock } = await import('../lib/clock.ts')
  return withDeps(call, async (deps) => {
    if (postgres) {
      const { hasSchema } = await import('../database/migrate.ts')
      const place = `${postgres.host}/${postgres.database}`
      if (!(await hasSchema(deps.db))) throw noDatabase(place, 'DATABASE_URL')
    }
    const maker = await createServiceMaker(deps, { modules, isServer: false })
    const services = await maker.make(names)
    const { stop, close } = maker.closing(systemClock) // test clocks may jump
    try {
      return await work(services, deps, maker.all)
    } finally {
      await stop()
      await close()
    }
  })
}

function noDatabase(place: string, setting: string): CommandError {
  const hint = `is ${setting} right? \`${gatehouse} migrate\` makes a new one`
  return new CommandError(`there is no database at ${place}: ${hint}`, exitCodes.notFound.code)
}
