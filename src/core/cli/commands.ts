import type { CommandRow, ModuleCommands, ModuleNames } from '../module/module.ts'
import type { Command, CommandWork } from './command.ts'

/** Groups in help order; external modules follow. */
const order = [
  'start',
  'migrate',
  'account',
  'invitation',
  'user',
  'session',
  'device',
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
  'verify',
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

export type ModuleWithCommands = Pick<ModuleNames, 'name' | 'commands'>

/** In help order. */
export function commandRows(modules: readonly ModuleWithCommands[]): CommandRow[] {
  const rank = ({ name }: CommandRow) => {
    const index = order.indexOf(firstWord(name))
    return index === -1 ? order.length : index
  }
  const rows = modules.flatMap(({ commands = [] }) => commands.flatMap((file) => file.rows))
  return rows.sort((left, right) => rank(left) - rank(right))
}

/** Replaces a former command name by the current name. */
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
 * Longest match; undefined if none.
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

/** Excludes the command of the word itself. */
export function groupOf(rows: readonly CommandRow[], word: string): CommandRow[] {
  return rows.filter(({ name }) => name.startsWith(`${word} `))
}

/** In help order. @throws Error as `commandsIn` */
export async function allCommands(modules: readonly ModuleWithCommands[]): Promise<Command[]> {
  const files = modules.flatMap((module) =>
    (module.commands ?? []).map((file) => commandsIn(module, file)),
  )
  const commands = (await Promise.all(files)).flat()
  return commandRows(modules).flatMap((row) => commands.filter(({ name }) => name === row.name))
}

/** @throws Error if the file and the manifest differ */
async function commandsIn(
  { name: module }: ModuleWithCommands,
  { load, rows, settings = [] }: ModuleCommands,
): Promise<readonly Command[]> {
  const { commands } = await load()
  const table = commands as readonly CommandWork[] // the core has no command-line types
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
