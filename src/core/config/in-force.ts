import type { SettingsTable } from './kinds.ts'
import { type Setting, type Source, sourceOf } from './kinds.ts'

/** For operators; of a secret only whether it is set. */
export interface SettingInForce {
  readonly name: string
  /** As written, or the default; null: secret, or no value. */
  readonly value: string | null
  /** In words if there is no default value. */
  readonly default: string
  readonly source: Source
  /** From `NAME_FILE`. */
  readonly file: string | null
  readonly isSecret: boolean
  readonly isSet: boolean
  readonly description: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** `derived`: defaults computed from other settings. */
export function settingsInForce(
  tables: readonly SettingsTable[],
  env: Environment,
  derived: Environment,
): readonly SettingInForce[] {
  const all: SettingsTable = Object.assign({}, ...tables)
  return Object.entries(all).map(([name, setting]) =>
    inForce(name, setting, { env, derived: derived[name] }),
  )
}

function inForce(
  name: string,
  setting: Setting<unknown>,
  { derived, env }: { readonly env: Environment; readonly derived: string | undefined },
): SettingInForce {
  const source = sourceOf(name, setting, env)
  return {
    name,
    value: setting.secret ? null : (shown(env[name]) ?? derived ?? fallbackOf(setting)),
    default: setting.shown.replaceAll('`', ''),
    source,
    file: source === 'file' ? (env[`${name}_FILE`] ?? null) : null,
    isSecret: setting.secret,
    isSet: source !== 'default',
    description: setting.doc,
  }
}

/**
 * Removes credentials, which settings of external modules may contain. A comma may belong to a
 * password: hide more rather than less.
 */
function shown(text: string | undefined): string | undefined {
  return text?.replace(/(\w:\/\/)[^\s/?#]*@/g, '$1[hidden]@') || undefined
}

function fallbackOf({ fallback }: Setting<unknown>): string | null {
  return fallback === undefined ? null : String(fallback)
}
