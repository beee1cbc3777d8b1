import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
} from '../../core/cli/command.ts'
import type { Row } from '../../core/cli/output.ts'
import type { Setting, SettingsTable, Source } from '../../core/config/kinds.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'config check',
    example: 'config check',
    run: check,
  },
  {
    name: 'config show',
    example: 'config show --json',
    run: show,
  },
]

async function check(call: CommandCall): Promise<void> {
  const { ConfigError } = await import('../../core/config/load.ts')
  const { json } = call.values
  try {
    const { misspelt } = call.config
    const others = call.config.warnings.filter((warning) => !misspelt.includes(warning))
    const warnings = [...others, ...(await lifeWarnings(call))]
    for (const warning of warnings) call.terminal.stderr.write(`warning: ${warning}\n`)
    if (misspelt.length > 0) return refuseMisspelt(call, misspelt, warnings)
    call.output.result({ valid: true, mistakes: [], warnings }, 'The settings are valid.')
  } catch (error) {
    if (!(error instanceof ConfigError) || json !== true) throw error
    const mistakes = [...error.mistakes, ...error.misspelt]
    call.output.result({ valid: false, mistakes, warnings: [] }, '')
    throw new CommandError(error.message, exitCodes.failed.code)
  }
}

/** @throws CommandError: the service would start without the variables */
function refuseMisspelt(
  { output, values }: CommandCall,
  misspelt: readonly string[],
  warnings: readonly string[],
): never {
  if (values.json === true) output.result({ valid: false, mistakes: misspelt, warnings }, '')
  throw new CommandError(
    `these variables are no settings, and the service ignores them:\n  ${misspelt.join('\n  ')}`,
    exitCodes.failed.code,
  )
}

/** For an invalid or expiring certificate. */
async function lifeWarnings({ config, terminal }: CommandCall): Promise<string[]> {
  if (!config.http.tls) return []
  const { lifeWarning, readTlsPair } = await import('../../core/config/tls.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  const { pair } = readTlsPair(config.http.tls, config)
  const warning = pair && lifeWarning(pair, (terminal.clock ?? systemClock).now())
  return warning ? [warning.en] : []
}

/** @throws ConfigError if any is invalid */
async function show(call: CommandCall): Promise<void> {
  const { readSettings, sourceOf } = await import('../../core/config/kinds.ts')
  const { renameFormerSettings } = await import('../../core/config/former-names.ts')
  const all: SettingsTable = Object.assign({}, ...call.tables.map(({ table }) => table))
  const { env } = renameFormerSettings(call.terminal.env, [all])
  const { values: given, mistakes } = readSettings(all, env)
  const rows = Object.entries(all).map(([name, setting]: [string, Setting<unknown>]): Row => {
    const source = sourceOf(name, setting, env)
    const isMisread = mistakes.some((mistake) => mistake.startsWith(`${name} `))
    const isJson = call.values.json === true
    const value = isMisread
      ? '[not accepted]'
      : shownValue(setting, given[name], source, isJson, env[name])
    return { setting: name, value, source }
  })
  call.output.rows(rows)
  void call.config // throws for mistakes, also between settings
}

function shownValue(
  { secret, shown }: Setting<unknown>,
  value: unknown,
  source: Source,
  isJson: boolean,
  typed: string | undefined,
): Row[string] {
  if (secret && source !== 'default') return '[redacted]'
  if (value === undefined) return isJson ? null : shown.replaceAll('`', '') || null
  if (Array.isArray(value)) return value.map(String)
  if (typeof value === 'object') return typed ?? JSON.stringify(value)
  return typeof value === 'number' ? value : String(value)
}
