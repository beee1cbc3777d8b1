import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { InsideContext } from '../../core/checks/context.ts'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
} from '../../core/cli/command.ts'
import { shown } from '../../core/cli/output.ts'
import { withDeps } from '../../core/cli/work.ts'
import type { Config } from '../../core/config/load.ts'
import { jsonLine } from '../../core/http/lists/json-line.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { type DoctorOptions, leftOut, parseDoctorOptions } from './command-options.ts'
import type { Finding } from './finding.ts'
import type { Examined } from './report.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'doctor',
    options: {
      inside: { type: 'boolean', doc: 'only settings, files, database and what they name' },
      outside: { type: 'boolean', doc: 'only what a caller sees; no settings are read for a URL' },
      strict: { type: 'boolean', doc: 'exit 1 also for warnings and for what was not checked' },
      except: {
        type: 'string',
        multiple: true,
        value: 'check',
        doc: 'a check to leave out, by its name; again for more',
      },
      connect: {
        type: 'string',
        value: 'address',
        doc: 'connect to this address (and port) in place of what the name of the URL leads to',
      },
      ca: {
        type: 'string',
        value: 'file',
        doc: 'an authority of your own for the certificate, PEM',
      },
    },
    example: 'doctor https://auth.example.org',
    run: doctor,
  },
]

async function doctor(call: CommandCall): Promise<void> {
  const options = parseDoctorOptions(call)
  const left = await leftOut(call)
  const { systemClock } = await import('../../core/lib/clock.ts')
  const clock = call.terminal.clock ?? systemClock
  const at = clock.now()
  const { examined, url } = await examine(call, options)
  const { reportOf, textOfReport } = await import('./report.ts')
  const kept = examined.map(({ checks, findings }) => ({
    checks,
    findings: findings.filter(({ check }) => !left.has(check)),
  }))
  const report = reportOf(kept, { at, language: 'en', url })
  const isJson = call.values.json === true
  call.output.text(isJson ? jsonLine(report) : `${textOfReport(report, shown)}\n`)
  const isStrict = call.values.strict === true
  const bad = report.errors + (isStrict ? report.warnings + report.unknown : 0)
  if (bad > 0) {
    throw new CommandError('the deployment has faults: see the findings', exitCodes.failed.code)
  }
}

interface Report {
  readonly examined: readonly Examined[]
  readonly url: string | null
}

async function examine(call: CommandCall, options: DoctorOptions): Promise<Report> {
  // A URL of another host needs no settings, which may belong to another service.
  if (!options.isInside && options.url !== undefined)
    return outside(call, options, options.url, null)
  const opened = await configOf(call)
  if ('findings' in opened) {
    const mistakes: Examined = { findings: opened.findings, checks: 1 }
    if (!options.isOutside || options.url === undefined) return { examined: [mistakes], url: null }
    const { examined, url } = await outside(call, options, options.url, null)
    return { examined: [mistakes, ...examined], url }
  }
  const { config } = opened
  const place = missingDatabase(config)
  if (place !== null) return withoutDatabase(call, options, { reason: `there is none at ${place}` })
  let isOpen = false
  try {
    return await withDeps(call, (deps) => {
      isOpen = true
      return both(call, options, deps)
    })
  } catch (error) {
    if (isOpen) throw error
    return withoutDatabase(call, options, { error })
  }
}

async function both(call: CommandCall, options: DoctorOptions, deps: Deps): Promise<Report> {
  const { examineInside } = await import('./inside.ts')
  const inside = options.isInside ? [await examineInside(deps, call)] : []
  return withOutside(call, options, inside, deps)
}

/** The unavailable database is a finding. */
async function withoutDatabase(
  call: CommandCall,
  options: DoctorOptions,
  why: { readonly error: unknown } | { readonly reason: string },
): Promise<Report> {
  if (!options.isInside) return withOutside(call, options, [], null)
  const { config, terminal } = call
  const { createLog } = await import('../../core/runtime/deps.ts')
  const { eventsOf } = await import('../../core/runtime/sinks.ts')
  const { createMeasurements } = await import('../../core/measurements/measurements.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  const { examineOffline } = await import('./inside.ts')
  const clock = terminal.clock ?? systemClock
  const [log, measurements] = [createLog('silent'), createMeasurements()]
  const events = eventsOf({ clock, log, measurements })
  const deps = { config, clock, events, fetch: globalThis.fetch }
  return withOutside(
    call,
    options,
    [await examineOffline(deps, { ...why, modules: call.modules })],
    null,
  )
}

async function withOutside(
  call: CommandCall,
  options: DoctorOptions,
  inside: readonly Examined[],
  deps: Deps | null,
): Promise<Report> {
  if (!options.isOutside) return { examined: inside, url: null }
  const url = options.url ?? call.config.baseUrl
  const found = await outside(call, options, url, deps)
  const examined = [...inside, ...found.examined]
  if (options.url !== undefined || !options.isInside) return { examined, url }
  // BASE_URL was not requested: only the inside may be meant.
  return { examined: examined.map(unreachableAsUnknown), url }
}

function unreachableAsUnknown({ checks, findings }: Examined): Examined {
  const asUnknown = (finding: Finding): Finding =>
    finding.check === 'reachable' ? { ...finding, level: 'unknown' } : finding
  return { checks, findings: findings.map(asUnknown) }
}

async function outside(
  { modules, terminal }: CommandCall,
  { connect, ca }: DoctorOptions,
  url: string,
  inside: Pick<InsideContext, 'config' | 'db'> | null,
): Promise<Report> {
  const { systemClock } = await import('../../core/lib/clock.ts')
  const { examineOutside } = await import('./outside.ts')
  const clock = terminal.clock ?? systemClock
  const options = { ...(connect && { connect }), ...(ca !== undefined && { ca }) }
  return { examined: [await examineOutside({ url, clock, inside, modules, ...options })], url }
}

/** Or a finding per mistake. */
async function configOf(
  call: CommandCall,
): Promise<{ readonly config: Config } | { readonly findings: Finding[] }> {
  const { ConfigError } = await import('../../core/config/load.ts')
  try {
    return { config: call.config }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { refusedSettings } = await import('./offline-checks.ts')
    return { findings: refusedSettings(error.mistakes) }
  }
}

/** A check must not create a missing SQLite file. */
function missingDatabase({ database }: Config): string | null {
  if (database.postgres !== undefined) return null
  const path = join(database.dataDirectory, 'gatehouse.db')
  return existsSync(path) ? null : path
}
