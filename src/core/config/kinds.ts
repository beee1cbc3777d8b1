import { readFileSync, type Stats, statSync } from 'node:fs'
import { Secret } from '../crypto/secret.ts'
import { systemCode } from '../reason.ts'

export interface Setting<T> {
  readonly shown: string
  readonly doc: string
  /** The former name, accepted until 1.0: see `renameFormerSettings`. */
  readonly formerly?: string
  readonly fallback: T
  /** Whether `NAME_FILE` may hold the value. */
  readonly secret: boolean
  /** An absent or empty file counts as not set. */
  readonly fileMayLack?: boolean
  /** Shown in the error message. */
  readonly advice?: string
  /** A generated secret: commands may compare it with a running service. */
  readonly isKey?: boolean
  /** Needed by every command on the database. */
  readonly isOfAllCommands?: boolean
  /** Reread at runtime. */
  readonly isFileReread?: boolean
  /** Only for the first start. */
  readonly isForFirstStart?: boolean
  /** @throws Error with a message for the operator */
  readonly parse: (text: string) => T
}

interface Common {
  readonly doc: string
  readonly formerly?: string
  /** Replaces the default in the documentation. */
  readonly shown?: string
}

export function text(
  options: Common & { default: string; check?: (text: string) => void },
): Setting<string> {
  return {
    ...described(options, options.default),
    fallback: options.default,
    parse: (value) => {
      options.check?.(value)
      return value
    },
  }
}

export function optional<T>(
  options: Common & { parse: (text: string) => T },
): Setting<T | undefined> {
  return { ...described(options, ''), fallback: undefined, parse: options.parse }
}

export function integer(
  options: Common & { default: number; min: number; max?: number },
): Setting<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = options
  return {
    ...described(options, String(options.default)),
    fallback: options.default,
    parse: (value) => {
      const number = Number(value)
      if (!/^[0-9]+$/.test(value) || number < min || number > max) {
        const range =
          max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
        throw new Error(`must be a whole number ${range}`)
      }
      return number
    },
  }
}

export function oneOf<const T extends string>(
  options: Common & { default: T; values: readonly T[] },
): Setting<T> {
  return {
    ...described(options, options.default),
    doc: `${options.doc} One of ${options.values.map((value) => `\`${value}\``).join(', ')}.`,
    fallback: options.default,
    parse: (value) => {
      const found = options.values.find((candidate) => candidate === value)
      if (found === undefined) throw new Error(`must be one of ${options.values.join(', ')}`)
      return found
    },
  }
}

export function list<T>(
  options: Common & { parse: (item: string) => T; default?: readonly T[] },
): Setting<readonly T[]> {
  const { default: fallback = [] } = options
  return {
    ...described(options, fallback.join(',')),
    fallback,
    parse: (value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map(options.parse),
  }
}

export function secret(
  options: Common & { check?: (text: string) => void; fileMayLack?: boolean },
): Setting<Secret | undefined> {
  return {
    ...described(options, ''),
    secret: true,
    fileMayLack: options.fileMayLack ?? false,
    fallback: undefined,
    parse: (value) => {
      options.check?.(value)
      return new Secret(value)
    },
  }
}

function described({ doc, formerly, shown }: Common, fallback: string) {
  return { doc, shown: shown ?? fallback, secret: false, ...(formerly && { formerly }) }
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>

export type Values<Table extends Record<string, Setting<unknown>>> = {
  readonly [Name in keyof Table]: Table[Name]['fallback']
}

export interface Reading<Table extends Record<string, Setting<unknown>>> {
  readonly values: Values<Table>
  readonly mistakes: string[]
  readonly warnings: string[]
}

/** Continues after a mistake, to report all. */
export function readSettings<Table extends Record<string, Setting<unknown>>>(
  table: Table,
  env: Readonly<Record<string, string | undefined>>,
): Reading<Table> {
  const mistakes: string[] = []
  const warnings: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(table)) {
    values[name] = setting.fallback
    try {
      const value = setting.secret ? secretText({ name, env, warnings, ...setting }) : env[name]
      // Compose files set unset variables to the empty text.
      if (value !== undefined && value !== '') values[name] = setting.parse(value)
    } catch (error) {
      mistakes.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { values: values as Values<Table>, mistakes, warnings }
}

export type Source = 'default' | 'environment' | 'file'

export function sourceOf(
  name: string,
  setting: Pick<Setting<unknown>, 'secret'>,
  env: Readonly<Record<string, string | undefined>>,
): Source {
  if (setting.secret && env[`${name}_FILE`]) return 'file'
  return env[name] ? 'environment' : 'default'
}

interface SecretText extends Pick<Setting<unknown>, 'fileMayLack'> {
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly warnings: string[]
}

function secretText({ name, env, warnings, fileMayLack }: SecretText): string | undefined {
  const file = env[`${name}_FILE`]
  if (!file) return env[name]
  if (env[name]) throw new Error(`is set twice, as ${name} and as ${name}_FILE`)
  let content: string
  try {
    content = readFileSync(file, 'utf8')
    if (isExposed(statSync(file))) {
      warnings.push(`${name}_FILE: ${file} can be read by other users of this machine`)
    }
  } catch (error) {
    if (fileMayLack && systemCode(error) === 'ENOENT') return undefined
    throw new Error(`cannot be read from the file that ${name}_FILE names`)
  }
  const text = content.replace(/\r?\n$/, '')
  if (text === '' && fileMayLack) return undefined
  if (text === '') throw new Error(`is empty in the file that ${name}_FILE names`)
  return text
}

/**
 * Readable by other users. Group access by a file of another owner is allowed: Kubernetes and
 * systemd grant access through the group.
 */
export function isExposed({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): boolean {
  return (mode & (uid === process.getuid?.() ? 0o077 : 0o007)) !== 0
}
