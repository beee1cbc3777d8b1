import { renameFormerSettings } from './former-names.ts'
import { type SettingInForce, settingsInForce } from './in-force.ts'
import { readSettings, type Setting, type SettingsTable } from './kinds.ts'
import { misspeltSettings } from './misspelt.ts'

/** The values of all settings by their names: each settings.ts adds the settings of its module. */
// biome-ignore lint/suspicious/noEmptyInterface: each settings.ts declares its settings in it
export interface SettingValues {}

export type SettingName = keyof SettingValues

/** What the service reads of its settings: each settings.ts adds what its `configure` answers. */
export interface Config {
  readonly warnings: readonly string[]
  /** The warnings about variables whose name is near the name of a setting. */
  readonly misspelt: readonly string[]
  readonly http: HttpConfig
  readonly login: LoginConfig
  readonly token: TokenConfig
  /** How long links and codes in mail count, in seconds. */
  readonly confirmations: Lifetimes
  /** Lists all settings, for operators: no secret is in them. */
  inForce(): readonly SettingInForce[]
  /** Read by `settingsOf`. */
  readonly ofModules: ReadonlyMap<SettingsTable, Readonly<Record<string, unknown>>>
}

// Parts to which several modules add.
// biome-ignore-start lint/suspicious/noEmptyInterface: each settings.ts declares its fields in them
export interface HttpConfig {}
export interface LoginConfig {}
export interface TokenConfig {}
export interface Lifetimes {}

/** What a process before this one has read of files, by their settings: it counts if they broke since. */
export interface KeptFiles {}
// biome-ignore-end lint/suspicious/noEmptyInterface: the last of these interfaces is above

export type ProviderConfig = Config['providers'][number]

type Environment = Readonly<Record<string, string | undefined>>

/** What a module checks its settings by. */
export interface Reading {
  /** Of all modules; a setting with a mistake has its default. */
  readonly values: SettingValues
  readonly env: Environment
  readonly kept: KeptFiles
  readonly isMisread: (name: SettingName) => boolean
}

/** What `configure` of a settings.ts answers. It is called also if settings have mistakes. */
export interface Configured {
  /** Its part of `Config`. */
  readonly config: object
  /** Each begins with the name of a setting. One about a setting that could not be read is left out. */
  readonly mistakes?: readonly string[]
  readonly warnings?: readonly string[]
  /** The values of settings that follow from others if they are not set. */
  readonly derived?: Environment
  /** Tables whose names follow from settings. */
  readonly further?: readonly SettingsTable[]
}

/** The settings of a module, and what checks the settings and makes its part of `Config`. */
export interface ModuleSettings {
  readonly module: string
  readonly table: SettingsTable
  readonly configure?: (reading: Reading) => Configured
}

export type ConfigOf<Configure extends (reading: Reading) => Configured> =
  ReturnType<Configure>['config']
export type Group<
  Configure extends (reading: Reading) => Configured,
  Name extends keyof ConfigOf<Configure>,
> = ConfigOf<Configure>[Name]

/** All mistakes of a configuration, one per line, then advice, and the names that may be misspelt. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  readonly misspelt: readonly string[]

  constructor(
    mistakes: readonly string[],
    misspelt: readonly string[] = [],
    advice: Iterable<string> = [],
  ) {
    const lines = [...mistakes, ...advice, ...misspelt]
    super(
      `Gatehouse cannot start with these settings:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.mistakes = mistakes
    this.misspelt = misspelt
  }
}

/**
 * Reads the settings of all modules from an environment: see `settingsOfModules`.
 * @throws ConfigError that lists every mistake
 */
export function loadConfig(
  given: Environment,
  modules: readonly ModuleSettings[],
  kept: KeptFiles = {},
): Config {
  const renamed = renameFormerSettings(
    given,
    modules.map(({ table }) => table),
  )
  const { env } = renamed
  const readings = modules.map(({ table }) => ({ table, ...readSettings(table, env) }))
  const mistakes = [...renamed.mistakes, ...readings.flatMap((reading) => reading.mistakes)]
  const misread = new Set(mistakes.map(settingOf))
  const values = Object.assign({}, ...readings.map((reading) => reading.values)) as SettingValues // of all tables
  const isMisread = (name: string) => misread.has(name)
  const parts = modules.flatMap(
    ({ configure }) => configure?.({ values, env, kept, isMisread }) ?? [],
  )
  // A setting that could not be read takes part in no contradiction.
  const contradictions = parts.flatMap((part) => part.mistakes ?? [])
  mistakes.push(...contradictions.filter((line) => !misread.has(settingOf(line))))
  const tables = [
    ...modules.map(({ table }) => table),
    ...parts.flatMap(({ further = [] }) => further),
  ]
  const mistaken = new Set(mistakes.map(settingOf))
  // A mistake about such a name says what is near.
  const misspelt = misspeltSettings(env, tables).filter((line) => !mistaken.has(settingOf(line)))
  if (mistakes.length > 0) {
    const refused = tables.flatMap(Object.entries).filter(([name]) => mistaken.has(name))
    const advice = refused.flatMap(([name, setting]: [string, Setting<unknown>]) => [
      ...(setting.advice ? [setting.advice] : []),
      ...[name, `${name}_FILE`].flatMap((each) => renamed.warnings.get(each) ?? []),
    ])
    throw new ConfigError(mistakes, misspelt, new Set(advice))
  }
  const warnings = [
    ...renamed.warnings.values(),
    ...[...readings, ...parts].flatMap((each) => each.warnings ?? []),
  ]
  const derived: Environment = Object.assign({}, ...parts.map((part) => part.derived))
  const config = {
    ...merged(parts.map((part) => part.config)),
    warnings: [...warnings, ...misspelt],
    misspelt,
    inForce: () => settingsInForce(tables, env, derived),
    ofModules: new Map(readings.map((reading) => [reading.table, Object.freeze(reading.values)])),
  }
  return deepFreeze<object>(config) as Config // the parts of all modules
}

/** Puts the parts together; to some fields several modules add. */
function merged(parts: readonly object[]): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    all[name] = isPlain(all[name]) && isPlain(value) ? { ...all[name], ...value } : value
  }
  return all
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What was read, or if it has mistakes what was kept, if anything was. */
export function goodOr<T extends { readonly mistakes: readonly string[] }>(
  reading: T,
  kept: T | undefined,
): T {
  return reading.mistakes.length > 0 && kept ? kept : reading
}

/** The setting of a mistake, or the variable of a misspelt name: the line begins with it. */
function settingOf(mistake: string): string {
  return mistake.split(/:? /, 1)[0] ?? ''
}

function deepFreeze<T extends object>(object: T): Readonly<T> {
  for (const value of Object.values(object)) {
    if (typeof value === 'object' && value !== null) deepFreeze(value)
  }
  return Object.freeze(object)
}
