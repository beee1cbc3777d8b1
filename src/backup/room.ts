import { fileBeside, type Room } from '../room/room.ts'
import { backupMade, backupRestored, databaseMoved } from './events.ts'

export const room: Room = {
  name: 'backup',
  events: [backupMade, backupRestored, databaseMoved],
  commands: [
    {
      names: ['backup', 'restore', 'move'],
      file: fileBeside(import.meta.url, '../cli/commands/backup'),
    },
  ],
}
