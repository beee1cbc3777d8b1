import type { RoomCommands } from '../room/room.ts'
import type { Command } from './command.ts'

/**
 * Groups in the order of the help, by the first word of their names; what a room from outside brings
 * follows in the order of the rooms.
 */
const order = [
  'start',
  'migrate',
  'account',
  'user',
  'keys',
  'token',
  'oidc',
  'backup',
  'restore',
  'move',
  'config',
  'routes',
  'openapi',
]

/** What the table of commands needs of a manifest. */
export interface RoomWithCommands {
  readonly name: string
  readonly commands?: readonly RoomCommands[]
}

/** All commands of the rooms, in the order of the help. @throws Error as `commandsIn` */
export async function allCommands(rooms: readonly RoomWithCommands[]): Promise<Command[]> {
  const files = rooms.flatMap((room) => room.commands ?? [])
  const commands = (await Promise.all(files.map(commandsIn))).flat()
  const rank = ({ name }: Command) => {
    const index = order.indexOf(groupOf(name))
    return index === -1 ? order.length : index
  }
  return commands.sort((left, right) => rank(left) - rank(right))
}

/** The command that the first words name, of the one file that has it; undefined if there is none. */
export async function commandOf(
  rooms: readonly RoomWithCommands[],
  words: readonly string[],
): Promise<Command | undefined> {
  const named = (name: string) => name === words.slice(0, name.split(' ').length).join(' ')
  for (const { commands = [] } of rooms) {
    const file = commands.find(({ names }) => names.some(named))
    if (file) return (await commandsIn(file)).find(({ name }) => named(name))
  }
  return undefined
}

/** @throws Error if the file exports other commands than the manifest names */
async function commandsIn({ file, names }: RoomCommands): Promise<readonly Command[]> {
  const { commands } = await import(file.href)
  const table: readonly Command[] = Array.isArray(commands) ? commands : []
  const exported = table.map(({ name }) => name)
  if (exported.toSorted().join() !== names.toSorted().join()) {
    throw new Error(
      `${file.pathname} has the commands ${exported.join(', ')}, not ${names.join(', ')}`,
    )
  }
  return table
}

function groupOf(name: string): string {
  return name.split(' ', 1)[0] ?? name
}
