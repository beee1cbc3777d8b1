import { fileBeside, type Room } from '../room/room.ts'

export const room: Room = {
  name: 'backup',
  events: fileBeside(import.meta.url, './events'),
  commands: [
    {
      names: ['backup', 'restore', 'move'],
      file: fileBeside(import.meta.url, '../cli/commands/backup'),
    },
  ],
}
