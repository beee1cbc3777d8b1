import type { CommandRow, ModuleCommands, ModuleNames } from '../module/module.ts'
import type { Command, CommandWork } from './command.ts'

/**
 * The order of the groups in the help, by the first word of the commands. Commands of external
 * modules follow, in the order of the modules.
 */
const order = [
  'start',
  'migrate',
  'account',
  'invitation',
  'user',
  'session',
  'mail',
  'throttle',
  'keys',
  'client',
  'token',
  'oidc',
  'forward',
  'audit',
  'webhook',
  'explain',
  'doctor',
  'backup',
  'restore',
  'move',
  'compact',
  'config',
  'routes',
  'openapi',
  'help',
  'completion',
]

/** The part of a module that declares commands. */
export type ModuleWithCommands = Pick<ModuleNames, 'name' | 'commands'>

/** The rows of all commands, in the order of the help. */
export function commandRows(modules: readonly ModuleWithCommands[]): CommandRow[] {
  const rank = ({ name }: CommandRow) => {
    const index = order.indexOf(firstWord(name))
    return index === -1 ? order.length : index
  }
  const rows = modules.flatMap(({ commands = [] }) => commands.flatMap((file) => file.rows))
  return rows.sort((left, right) => rank(left) - rank(right))
}

/** The words with the present name of a command where they begin with a former name. */
export function presentWords(
  modules: readonly ModuleWithCommands[],
  words: readonly string[],
): readonly string[] {
  for (const { name, formerly } of commandRows(modules)) {
    if (formerly === undefined) continue
    const { length } = formerly.split(' ')
    if (words.slice(0, length).join(' ') !== formerly) continue
    return [...name.split(' '), ...words.slice(length)]
  }
  return words
}

/**
 * The command with the longest name that the words begin with; undefined if there is none.
 * @throws Error as `commandsIn`
 */
export async function commandOf(
  modules: readonly ModuleWithCommands[],
  words: readonly string[],
): Promise<Command | undefined> {
  const isNamed = ({ name }: CommandRow) =>
    name === words.slice(0, name.split(' ').length).join(' ')
  const found = modules
    .flatMap((module) => (module.commands ?? []).map((file) => ({ module, file })))
    .flatMap(({ module, file }) =>
      file.rows.filter(isNamed).map(({ name }) => ({ module, file, name })),
    )
    .sort((left, right) => right.name.length - left.name.length)[0]
  return (
    found && (await commandsIn(found.module, found.file)).find(({ name }) => name === found.name)
  )
}

/** The commands whose names begin with a word and go on. */
export function groupOf(rows: readonly CommandRow[], word: string): CommandRow[] {
  return rows.filter(({ name }) => name.startsWith(`${word} `))
}

/** All commands, in the order of the help. @throws Error as `commandsIn` */
export async function allCommands(modules: readonly ModuleWithCommands[]): Promise<Command[]> {
  const files = modules.flatMap((module) =>
    (module.commands ?? []).map((file) => commandsIn(module, file)),
  )
  const commands = (await Promise.all(files)).flat()
  return commandRows(modules).flatMap((row) => commands.filter(({ name }) => name === row.name))
}

/** Loads a file of commands. @throws Error if it exports other commands than the manifest names */
async function commandsIn(
  { name: module }: ModuleWithCommands,
  { load, rows, settings = [] }: ModuleCommands,
): Promise<readonly Command[]> {
  const { commands } = await load()
  const table = commands as readonly CommandWork[] // the core knows no types of the command line
  const [named, exported] = [rows, table].map((list) => list.map(({ name }) => name).toSorted())
  if (String(named) !== String(exported)) {
    throw new Error(
      `a file of the module ${module} has the commands ${exported?.join(', ')}, not ${named?.join(', ')}`,
    )
  }
  return rows.flatMap((row) =>
    table
      .filter(({ name }) => name === row.name)
      .map((work) => ({ ...work, ...row, module, settings })),
  )
}

function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name
}
