import type { SettingsTable } from './kinds.ts'
import { type Setting, type Source, sourceOf } from './kinds.ts'

/** A setting as it is in force, for an operator: nothing of a secret but whether it is set. */
export interface SettingInForce {
  readonly name: string
  /** As it was written, or the default; null: it is a secret, or it is not set and has no value. */
  readonly value: string | null
  /** What it is if it is not set, in words where that is no value. */
  readonly default: string
  readonly source: Source
  /** The file that holds it, by `NAME_FILE`. */
  readonly file: string | null
  readonly isSecret: boolean
  readonly isSet: boolean
  readonly description: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * All settings of the tables. `derived` has the values of settings that follow from others if they are
 * not set.
 */
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
 * Without credentials: none that is shown should hold any, but one of a module from outside may. A comma
 * may be of a password or of a list: rather more is hidden than less.
 */
function shown(text: string | undefined): string | undefined {
  return text?.replace(/(\w:\/\/)[^\s/?#]*@/g, '$1[hidden]@') || undefined
}

function fallbackOf({ fallback }: Setting<unknown>): string | null {
  return fallback === undefined ? null : String(fallback)
}
