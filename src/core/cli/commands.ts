import type { SettingName } from '../config/settings-table.ts'
import type { CommandRow, RoomCommands } from '../module/room.ts'
import type { Command, CommandWork } from './command.ts'

/**
 * The order of the groups in the help, by the first word of the commands. Commands of external
 * rooms follow, in the order of the rooms.
 */
const order = [
  'start',
  'migrate',
  'account',
  'invite',
  'invitation',
  'user',
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

/** The part of a manifest that declares commands. */
export interface RoomWithCommands {
  readonly name: string
  readonly commands?: readonly RoomCommands[]
  readonly settings?: readonly SettingName[] | URL
}

/** The rows of all commands, in the order of the help. */
export function commandRows(rooms: readonly RoomWithCommands[]): CommandRow[] {
  const rank = ({ name }: CommandRow) => {
    const index = order.indexOf(firstWord(name))
    return index === -1 ? order.length : index
  }
  const rows = rooms.flatMap(({ commands = [] }) => commands.flatMap((file) => file.rows))
  return rows.sort((left, right) => rank(left) - rank(right))
}

/**
 * The command with the longest name that the words begin with; undefined if there is none.
 * @throws Error as `commandsIn`
 */
export async function commandOf(
  rooms: readonly RoomWithCommands[],
  words: readonly string[],
): Promise<Command | undefined> {
  const isNamed = ({ name }: CommandRow) =>
    name === words.slice(0, name.split(' ').length).join(' ')
  const found = rooms
    .flatMap((room) => (room.commands ?? []).map((file) => ({ room, file })))
    .flatMap(({ room, file }) =>
      file.rows.filter(isNamed).map(({ name }) => ({ room, file, name })),
    )
    .sort((left, right) => right.name.length - left.name.length)[0]
  return found && (await commandsIn(found.room, found.file)).find(({ name }) => name === found.name)
}

/** The commands whose names begin with a word and go on. */
export function groupOf(rows: readonly CommandRow[], word: string): CommandRow[] {
  return rows.filter(({ name }) => name.startsWith(`${word} `))
}

/** All commands, in the order of the help. @throws Error as `commandsIn` */
export async function allCommands(rooms: readonly RoomWithCommands[]): Promise<Command[]> {
  const files = rooms.flatMap((room) => (room.commands ?? []).map((file) => commandsIn(room, file)))
  const commands = (await Promise.all(files)).flat()
  return commandRows(rooms).flatMap((row) => commands.filter(({ name }) => name === row.name))
}

/** Loads a file of commands. @throws Error if it exports other commands than the manifest names */
async function commandsIn(
  { settings: ofRoom = [] }: RoomWithCommands,
  { file, rows, settings: others = [] }: RoomCommands,
): Promise<readonly Command[]> {
  const { commands } = await import(file.href)
  const table: readonly CommandWork[] = Array.isArray(commands) ? commands : []
  const [named, exported] = [rows, table].map((list) => list.map(({ name }) => name).toSorted())
  if (String(named) !== String(exported)) {
    throw new Error(
      `${file.pathname} has the commands ${exported?.join(', ')}, not ${named?.join(', ')}`,
    )
  }
  const settings = [...(ofRoom instanceof URL ? [] : ofRoom), ...others]
  return rows.flatMap((row) =>
    table.filter(({ name }) => name === row.name).map((work) => ({ ...work, ...row, settings })),
  )
}

function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name
}
