import type { Readable } from 'node:stream'
import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config, ModuleSettings, SettingName } from '../config/load.ts'
import type { Clock } from '../lib/clock.ts'
import type { CommandRow, Module } from '../module/module.ts'
import { replacedExitCode } from '../workers/workers.ts'
import type { Output, Streams } from './output.ts'

/** A command as a file of commands exports it; the manifest of its module declares the rest. */
export interface CommandWork {
  readonly name: string
  readonly options?: Readonly<Record<string, CommandOption>>
  /** For completion: all values of an operand that has only a few, by its name. */
  readonly operandValues?: Readonly<Record<string, readonly string[]>>
  /** `false`: the command reads no settings, and runs before they are loaded. */
  readonly usesSettings?: false
  /** An example of use, without the leading `gatehouse`. */
  readonly example?: string
  run(call: CommandCall): Promise<void>
}

/** One command of the command line, whole. */
export interface Command extends CommandRow, CommandWork {
  /** The name of its module, on whose settings it depends. */
  readonly module: string
  /** The settings of other modules that the command depends on, besides the settings of every command. */
  readonly settings: readonly SettingName[]
}

export interface CommandOption extends ParseArgsOptionDescriptor {
  /** One phrase for the help. */
  readonly doc?: string
  /** The name of its value in the help. */
  readonly value?: string
  /** For completion: all its values, if they are few. */
  readonly values?: readonly string[]
}

export interface CommandCall {
  /** Loaded at the first access. @throws ConfigError */
  readonly config: Config
  /** The settings on which the command depends: see `Command`. */
  readonly settings: readonly SettingName[]
  readonly operands: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly output: Output
  /** The modules of this program. */
  readonly modules: readonly Module[]
  /** The settings of the modules. */
  readonly tables: readonly ModuleSettings[]
  readonly terminal: Terminal
}

/** The streams, environment and clock of a command; `process` is a Terminal. */
export interface Terminal extends Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** The default is the clock of the system. */
  readonly clock?: Clock
  /** Ends a command that goes on until a signal; the signals of the process unless given. */
  readonly stop?: AbortSignal
}

/** The exit codes, and their meaning in docs/command-line.md. */
export const exitCodes = {
  done: { code: 0, meaning: 'Done' },
  failed: {
    code: 1,
    meaning:
      'Failed for any other reason, such as wrong or misspelt settings, an audit log that is not whole, or errors that the doctor has found',
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

/** A failure whose message is one sentence for the user, without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed.code) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

/** Wrong usage that the parser does not detect; the message is followed by where the help is. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, exitCodes.usage.code)
    this.name = 'UsageError'
  }
}

/** The text of an option; undefined if it was not given. */
export function textOf({ values }: CommandCall, option: string): string | undefined {
  const value = values[option]
  return typeof value === 'string' ? value : undefined
}
