import { misspeltSettings, renameFormerSettings } from './former-names.ts'
import { type SettingInForce, settingsInForce } from './in-force.ts'
import { readSettings, type Setting, type SettingsTable } from './kinds.ts'

/** Each settings.ts adds its settings. */
// biome-ignore lint/suspicious/noEmptyInterface: each settings.ts declares its settings in it
export interface SettingValues {}

export type SettingName = keyof SettingValues

/** Each settings.ts adds the result of its `configure`. */
export interface Config {
  readonly warnings: readonly string[]
  /** Warnings. */
  readonly misspelt: readonly string[]
  readonly http: HttpConfig
  readonly login: LoginConfig
  readonly token: TokenConfig
  /** Lifetimes of mailed links and codes, seconds. */
  readonly confirmations: Lifetimes
  /** Contains no secrets. */
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

/** Last valid content of files, used if the files are broken now. */
export interface KeptFiles {}
// biome-ignore-end lint/suspicious/noEmptyInterface: the last of these interfaces is above

export type ProviderConfig = Config['providers'][number]

type Environment = Readonly<Record<string, string | undefined>>

export interface Reading {
  /** A setting with a mistake has its default. */
  readonly values: SettingValues
  readonly env: Environment
  readonly kept: KeptFiles
  readonly isMisread: (name: SettingName) => boolean
}

/** `configure` runs even after mistakes. */
export interface Configured {
  readonly config: object
  /** Each begins with the setting name. Mistakes about unreadable settings are dropped. */
  readonly mistakes?: readonly string[]
  readonly warnings?: readonly string[]
  /** Defaults computed from other settings. */
  readonly derived?: Environment
  /** Tables whose names depend on settings. */
  readonly further?: readonly SettingsTable[]
}

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

/** One mistake per line, then advice and misspelt names. */
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

/** See `settingsOfModules`. @throws ConfigError with every mistake */
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
  const values = Object.assign({}, ...readings.map((reading) => reading.values)) as SettingValues
  const isMisread = (name: string) => misread.has(name)
  const parts = modules.flatMap(
    ({ configure }) => configure?.({ values, env, kept, isMisread }) ?? [],
  )
  // Unreadable settings cause no further contradictions.
  const contradictions = parts.flatMap((part) => part.mistakes ?? [])
  mistakes.push(...contradictions.filter((line) => !misread.has(settingOf(line))))
  const tables = [
    ...modules.map(({ table }) => table),
    ...parts.flatMap(({ further = [] }) => further),
  ]
  const mistaken = new Set(mistakes.map(settingOf))
  // The mistake already suggests the name.
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
  return deepFreeze<object>(config) as Config
}

/** Several modules add to some fields. */
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

/** The kept value if the new value has mistakes. */
export function goodOr<T extends { readonly mistakes: readonly string[] }>(
  reading: T,
  kept: T | undefined,
): T {
  return reading.mistakes.length > 0 && kept ? kept : reading
}

function settingOf(mistake: string): string {
  return mistake.split(/:? /, 1)[0] ?? ''
}

function deepFreeze<T extends object>(object: T): Readonly<T> {
  for (const value of Object.values(object)) {
    if (typeof value === 'object' && value !== null) deepFreeze(value)
  }
  return Object.freeze(object)
}
