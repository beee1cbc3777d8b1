import { parseArgs } from 'node:util'
import type { Config } from '../config/load.ts'
import { assertDistinct } from '../room/registry.ts'
import type { CommandRow } from '../room/room.ts'
import {
  type Command,
  type CommandCall,
  CommandError,
  exitCodes,
  type Terminal,
  UsageError,
} from './command.ts'
import { commandOf, commandRows } from './commands.ts'
import { exitOf } from './failure.ts'
import { commonOptions, helpOf, usage } from './help.ts'
import { createOutput, type Output } from './output.ts'

/**
 * Runs the command that the words name; answers the exit code. Writes failures to standard error.
 */
export async function dispatch(
  rooms: CommandCall['rooms'],
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const output = createOutput(terminal, words.includes('--json'))
  try {
    await runCommand(rooms, words, terminal, output)
    await output.flush()
    return exitCodes.done.code
  } catch (error) {
    const { code, message } = exitOf(error)
    await new Promise((resolve) => terminal.stderr.write(`${message}\n`, resolve))
    return code
  }
}

async function runCommand(
  rooms: CommandCall['rooms'],
  words: readonly string[],
  terminal: Terminal,
  output: Output,
): Promise<void> {
  assertDistinct(rooms)
  const found = await find(rooms, words)
  if ('group' in found) {
    if (words.some((word) => word === '--help' || word === '-h')) {
      return output.text(usage(found.group))
    }
    throw new CommandError(
      `${found.reason}\n\n${usage(found.group)}`.trimStart(),
      exitCodes.usage.code,
    )
  }
  const { command } = found
  try {
    const rest = words.slice(command.name.split(' ').length)
    refuseSecrets(rest)
    const { values, positionals } = parse(command, rest)
    if (values.help === true) return output.text(helpOf(command))
    assertOperands(command, positionals)
    const { loadConfig } = await import('../config/load.ts')
    const { settingsOfRooms } = await import('../room/settings.ts')
    const tables = await settingsOfRooms(rooms)
    let config: Config | undefined
    await command.run({
      get config() {
        config ??= loadConfig(terminal.env, tables)
        return config
      },
      operands: positionals,
      values,
      output,
      rooms,
      tables,
      terminal,
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new CommandError(`${error.message}\n\n${helpOf(command)}`, error.exitCode)
  }
}

type Found =
  | { readonly command: Command }
  | { readonly group: readonly CommandRow[]; readonly reason: string }

/** The command that the first words name, or the commands that they may mean. */
async function find(rooms: CommandCall['rooms'], words: readonly string[]): Promise<Found> {
  const command = await commandOf(rooms, words)
  if (command) return { command }
  const commands = commandRows(rooms)
  const [first, second] = words.filter((word) => !word.startsWith('-'))
  if (first === undefined) return { group: commands, reason: '' }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length === 0) return { group: commands, reason: `no such command: ${first}` }
  return { group, reason: second === undefined ? '' : `no such command: ${first} ${second}` }
}

function parse({ options = {} }: Command, args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...commonOptions, ...options },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Refuses secrets as arguments, which every user of the machine can read. @throws UsageError */
function refuseSecrets(args: readonly string[]): void {
  const secret = args.find((arg) =>
    /^--?(p|pw|pass|passwd|password|passphrase|secret|token|jwt)(=|$)/i.test(arg),
  )
  if (secret === undefined) return
  throw new UsageError('a password or token is never an argument: see the options for stdin')
}

function assertOperands({ operands = [] }: Command, given: readonly string[]): void {
  const isOpen = operands.at(-1)?.endsWith('...') ?? false
  const fits = isOpen ? given.length >= operands.length : given.length === operands.length
  if (fits) return
  // A surplus word may be a secret: the message does not repeat it.
  throw new UsageError(
    given.length < operands.length
      ? `missing: ${operands.slice(given.length).join(', ')}`
      : `too many words: ${operands.length} expected, ${given.length} given`,
  )
}
