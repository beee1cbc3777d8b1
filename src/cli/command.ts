import type { Readable } from 'node:stream'
import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config } from '../config/load.ts'
import type { RoomSettings } from '../config/room-settings.ts'
import type { Clock } from '../kernel/clock.ts'
import type { CommandRow, Room } from '../room/room.ts'
import type { Wired } from '../services.ts'
import type { Output, Streams } from './output.ts'

/** What a file of commands says of each: the rest stands in the manifest that names it. */
export interface CommandWork {
  readonly name: string
  readonly options?: Readonly<Record<string, CommandOption>>
  /** What follows `gatehouse `, as it would be typed. */
  readonly example?: string
  run(call: CommandCall): Promise<void>
}

/** One command of the command line. */
export interface Command extends CommandRow, CommandWork {}

export interface CommandOption extends ParseArgsOptionDescriptor {
  /** One phrase for the help. */
  readonly doc?: string
  /** What stands for its value there. */
  readonly value?: string
}

export interface CommandCall {
  /** Read at the first look. @throws ConfigError */
  readonly config: Config
  readonly operands: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly output: Output
  /** Those that this program is made of. */
  readonly rooms: readonly Room<Wired>[]
  /** The settings that rooms from outside bring. */
  readonly tables: readonly RoomSettings[]
  readonly terminal: Terminal
}

/** What a command sees of the world; the process itself is one. */
export interface Terminal extends Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** The system's, where none is given. */
  readonly clock?: Clock
}

/** What scripts can tell apart. */
export const exitCodes = {
  done: { code: 0, meaning: 'Done' },
  failed: { code: 1, meaning: 'Failed for any other reason, such as wrong settings' },
  usage: { code: 2, meaning: 'Used wrongly: nothing was tried, and the help is on standard error' },
  notFound: { code: 3, meaning: 'There is no such account, user, key or database' },
  refused: {
    code: 4,
    meaning:
      'Refused by a rule: the last administrator, a taken name, an unacceptable password, a key in use, a token that does not pass',
  },
  unavailable: { code: 5, meaning: 'The database is locked, full or unreadable; try again' },
  interrupted: { code: 130, meaning: 'Broken off (SIGINT): nothing half is left' },
  terminated: { code: 143, meaning: 'The same by SIGTERM' },
} as const

export type Exit = keyof typeof exitCodes

/** What is told in one sentence, without a stack. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed.code) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

/** A wrong use that the parser cannot see; its help follows the sentence. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, exitCodes.usage.code)
    this.name = 'UsageError'
  }
}

/** The text of an option that takes one; undefined where it was not given. */
export function textOf({ values }: CommandCall, option: string): string | undefined {
  const value = values[option]
  return typeof value === 'string' ? value : undefined
}
