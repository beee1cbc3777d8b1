import { readFileSync, type Stats, statSync } from 'node:fs'
import { Secret } from '../crypto/secret.ts'
import { systemCode } from '../reason.ts'

/** A setting: how its text is parsed, and its description in the generated documentation. */
export interface Setting<T> {
  /** The default in the documentation. */
  readonly shown: string
  readonly doc: string
  /** The name before a renaming, which works until 1.0: see `renameFormerSettings`. */
  readonly formerly?: string
  readonly fallback: T
  /** Whether `NAME_FILE` may name a file that holds the value. */
  readonly secret: boolean
  /** Whether that file may be absent or empty, as if it were not named. */
  readonly fileMayLack?: boolean
  /** How to make a good value. The message of a refused value shows the advice. */
  readonly advice?: string
  /** A generated secret: commands may compare it with that of a running service. */
  readonly isKey?: boolean
  /** Every command on the database depends on it. */
  readonly isOfAllCommands?: boolean
  /** Its file is read anew while the service runs. */
  readonly isFileReread?: boolean
  /** It counts for the first start alone. */
  readonly isForFirstStart?: boolean
  /** @throws Error whose message says what is wrong with the text */
  readonly parse: (text: string) => T
}

interface Common {
  readonly doc: string
  readonly formerly?: string
  /** The text that the documentation shows in place of the default. */
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

/**
 * Reads every setting of the table; continues after a mistake, so that all are reported at once.
 */
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
      // Compose files set a variable to the empty text for "not set".
      if (value !== undefined && value !== '') values[name] = setting.parse(value)
    } catch (error) {
      mistakes.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { values: values as Values<Table>, mistakes, warnings } // filled from the table's own names
}

export type Source = 'default' | 'environment' | 'file'

/** The source of the value of a setting. */
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
 * Whether users other than that of this process can read a file. A file of another owner may be
 * readable by its group, through which Kubernetes and systemd grant access to it.
 */
export function isExposed({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): boolean {
  return (mode & (uid === process.getuid?.() ? 0o077 : 0o007)) !== 0
}
