import { parseArgs } from 'node:util'
import type { Config, SettingName } from '../config/load.ts'
import { gatehouse } from '../hints/command-line.ts'
import { nearName } from '../hints/near-name.ts'
import type { CommandRow } from '../module/module.ts'
import { assertDistinct } from '../module/registry.ts'
import {
  type Command,
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  type Terminal,
  UsageError,
} from './command.ts'
import { commandOf, commandRows, groupOf, presentWords } from './commands.ts'
import { exitOf } from './failure.ts'
import { commonOptions, helpOf, operandOf, usage } from './help.ts'
import { inWords, noCommand } from './no-command.ts'
import { createOutput, type Output } from './output.ts'

/** Returns the exit code; failures go to standard error. */
export async function dispatch(
  modules: CommandCall['modules'],
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const output = createOutput(terminal, words.includes('--json'))
  try {
    await runCommand(modules, words, terminal, output)
    await output.flush()
    return exitCodes.done.code
  } catch (error) {
    const { code, message } = exitOf(error)
    await output.flush().catch(() => {})
    await new Promise((resolve) => terminal.stderr.write(`error: ${message}\n`, resolve))
    return code
  }
}

async function runCommand(
  modules: CommandCall['modules'],
  given: readonly string[],
  terminal: Terminal,
  output: Output,
): Promise<void> {
  assertDistinct(modules)
  const words = presentWords(modules, given)
  if (words[0] === '--version' || words[0] === '-V') return showVersion(output)
  const found = await find(modules, words)
  if ('group' in found) {
    if (words.some((word) => word === '--help' || word === '-h')) {
      return output.text(usage(found.group))
    }
    throw withHelp(new UsageError(found.reason), found.name)
  }
  const { command } = found
  try {
    const rest = words.slice(command.name.split(' ').length)
    refuseSecrets(rest, command.options)
    const { values, positionals } = parse(command, rest)
    if (values.help === true) return output.text(helpOf(command))
    assertOperands(command, positionals)
    const { tables, load } = command.usesSettings === false ? noSettings : await settingsOf(modules)
    let config: Config | undefined
    await command.run({
      get config() {
        if (config === undefined) assertOneDatabase(terminal.env)
        config ??= load(terminal.env, tables)
        return config
      },
      settings: [...namesOfModule(tables, command.module), ...command.settings],
      operands: positionals,
      values,
      output,
      modules,
      tables,
      terminal,
    })
  } catch (error) {
    const name = command.name === 'help' ? '' : command.name
    throw error instanceof UsageError ? withHelp(error, name) : error
  }
}

function namesOfModule(tables: CommandCall['tables'], module: string): SettingName[] {
  const own = tables.filter((each) => each.module === module)
  return own.flatMap(({ table }) => Object.keys(table) as SettingName[]) // or of an external module
}

const noSettings = {
  tables: [],
  load: (): never => {
    throw new Error('the command says that it reads no settings')
  },
}

async function settingsOf(modules: CommandCall['modules']) {
  const { loadConfig: load } = await import('../config/load.ts')
  const { settingsOfModules } = await import('../module/settings.ts')
  return { tables: await settingsOfModules(modules), load }
}

/** Adds a pointer: the full help would hide the message. */
function withHelp({ message, exitCode }: UsageError, name: string): CommandError {
  return new CommandError(
    `${message}\nSee: ${[gatehouse, 'help', name].join(' ').trim()}`,
    exitCode,
  )
}

type Found =
  | { readonly command: Command }
  | { readonly group: readonly CommandRow[]; readonly name: string; readonly reason: string }

/** A command, or candidates. */
async function find(modules: CommandCall['modules'], words: readonly string[]): Promise<Found> {
  const command = await commandOf(modules, words)
  if (command) return { command }
  const commands = commandRows(modules)
  const [first, second] = words.filter((word) => !word.startsWith('-'))
  if (first === undefined) return { group: commands, name: '', reason: 'no command is given' }
  const group = groupOf(commands, first)
  if (group.length === 0) {
    return { group: commands, name: '', reason: noCommand(commands, [first]) }
  }
  const reason =
    second === undefined
      ? `${first} needs one more word: ${group.map(({ name }) => name.slice(first.length + 1)).join(', ')}`
      : noCommand(commands, [first, second])
  return { group, name: first, reason }
}

function parse({ options = {} }: Command, args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...commonOptions, ...options },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(mistakeOf(error, [...Object.keys(commonOptions), ...Object.keys(options)]))
  }
}

/** Node's parser error without the value, which may be secret. */
function mistakeOf(error: unknown, options: readonly string[]): string {
  const { message = '', code } = error as { readonly message?: string; readonly code?: string }
  const [, option = ''] = /'(?:-\w, )?(-[^\s'=]*)[^']*'/.exec(message) ?? []
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant = nearName(option.slice('--'.length), options)
    const hint = meant === undefined ? '' : `; did you mean --${meant}?`
    return `there is no option ${inWords(option)}${hint}`
  }
  return message.includes('does not take an argument')
    ? `${option} takes no value`
    : `${option} needs a value`
}

/** Every user of the machine can read arguments. @throws UsageError */
function refuseSecrets(args: readonly string[], options: CommandWork['options'] = {}): void {
  // Flags take no value: `--token` reads standard input.
  const isFlag = (arg: string) => options[arg.replace(/^--/, '')]?.type === 'boolean'
  const secret = args.find(
    (arg) =>
      /^--?(p|pw|pass|passwd|password|passphrase|secret|token|jwt)(=|$)/i.test(arg) && !isFlag(arg),
  )
  if (secret === undefined) return
  throw new UsageError('a password or token is never an argument: see the options for stdin')
}

function assertOperands({ operands = [] }: Command, given: readonly string[]): void {
  const least = operands.filter((operand) => !operand.startsWith('[')).length
  const isOpen = /\.\.\.\]?$/.test(operands.at(-1) ?? '')
  if (given.length < least) {
    throw new UsageError(`missing: ${operands.slice(given.length).map(operandOf).join(', ')}`)
  }
  if (isOpen || given.length <= operands.length) return
  // Not repeated: a surplus word may be secret.
  throw new UsageError(`too many words: ${operands.length} expected, ${given.length} given`)
}

/** @throws UsageError for two databases */
function assertOneDatabase({ DATABASE_URL, DATABASE_URL_FILE }: Terminal['env']): void {
  if (!DATABASE_URL || !DATABASE_URL_FILE) return
  throw new UsageError('two databases are given: DATABASE_URL and DATABASE_URL_FILE')
}

async function showVersion(output: Output): Promise<void> {
  const { packageVersion } = await import('../config/version.ts')
  const version = packageVersion()
  output.result({ version, node: process.versions.node }, `gatehouse ${version}`)
}
