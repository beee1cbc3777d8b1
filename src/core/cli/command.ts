import type { Readable } from 'node:stream'
import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config, ModuleSettings, SettingName } from '../config/load.ts'
import type { Clock } from '../lib/clock.ts'
import type { CommandRow, Module } from '../module/module.ts'
import { replacedExitCode } from '../workers/workers.ts'
import type { Output, Streams } from './output.ts'

/** The module's manifest declares the rest. */
export interface CommandWork {
  readonly name: string
  readonly options?: Readonly<Record<string, CommandOption>>
  /** For completion: all values, by operand name. */
  readonly operandValues?: Readonly<Record<string, readonly string[]>>
  /** `false`: runs before settings are loaded. */
  readonly usesSettings?: false
  /** Without the leading `gatehouse`. */
  readonly example?: string
  run(call: CommandCall): Promise<void>
}

export interface Command extends CommandRow, CommandWork {
  /** The command depends on this module's settings. */
  readonly module: string
  /** Settings of other modules, besides the common settings. */
  readonly settings: readonly SettingName[]
}

export interface CommandOption extends ParseArgsOptionDescriptor {
  /** One phrase. */
  readonly doc?: string
  /** The value's name in the help. */
  readonly value?: string
  /** For completion, if few. */
  readonly values?: readonly string[]
}

export interface CommandCall {
  /** Loaded lazily. @throws ConfigError */
  readonly config: Config
  /** See `Command`. */
  readonly settings: readonly SettingName[]
  readonly operands: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly output: Output
  readonly modules: readonly Module[]
  readonly tables: readonly ModuleSettings[]
  readonly terminal: Terminal
}

/** `process` is a Terminal. */
export interface Terminal extends Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the system clock. */
  readonly clock?: Clock
  /** How long a change waits for leases of nodes that it cannot ask; default: until they expire. */
  readonly unheardMs?: number
  /** Ends a long-running command; default: process signals. */
  readonly stop?: AbortSignal
}

/** Documented in docs/command-line.md. */
export const exitCodes = {
  done: { code: 0, meaning: 'Done' },
  failed: {
    code: 1,
    meaning:
      'Failed for any other reason, such as wrong or misspelt settings, an audit log that is not whole, errors that the doctor has found, or differences that verify has found',
  },
  usage: { code: 2, meaning: 'Wrong usage, or a file that cannot be opened: nothing was done' },
  notFound: {
    code: 3,
    meaning:
      'There is no such account, user, client, key, refusal, invitation, mail, webhook or database, or there are no failed logins to forget',
  },
  refused: {
    code: 4,
    meaning:
      'Refused by a rule: the last administrator, a taken name, an unacceptable password, a key in use, a token or a request that does not pass',
  },
  unavailable: { code: 5, meaning: 'The database is locked, full or unreadable; try again' },
  replaced: {
    code: replacedExitCode,
    meaning:
      'The service has ended because a file of its SQLite database was deleted or replaced: docs/reliability.md',
  },
  interrupted: { code: 130, meaning: 'Interrupted (SIGINT): no partial change or file is left' },
  terminated: { code: 143, meaning: 'Terminated (SIGTERM): no partial change or file is left' },
} as const

export type Exit = keyof typeof exitCodes

/** The message is one sentence for the user, without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed.code) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

/** Usage errors that the parser does not detect; a pointer to the help follows. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, exitCodes.usage.code)
    this.name = 'UsageError'
  }
}

/** Undefined if absent. */
export function textOf({ values }: CommandCall, option: string): string | undefined {
  const value = values[option]
  return typeof value === 'string' ? value : undefined
}
