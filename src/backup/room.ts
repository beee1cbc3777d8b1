import { fileBeside, type Room } from '../room/room.ts'

export const room: Room = {
  name: 'backup',
  tables: [{ name: 'backup_runs', key: [], leftOut: 'of the installation that made them' }],
  events: fileBeside(import.meta.url, './events'),
  commands: [
    {
      rows: [
        {
          name: 'backup',
          operands: ['file'],
          summary: 'Writes all data to a new file, while the service goes on',
        },
        {
          name: 'restore',
          operands: ['file'],
          summary: 'Fills an empty database from a backup, and ends all logins',
        },
        {
          name: 'move',
          summary:
            'Copies the SQLite database to an empty PostgreSQL one; the service must be stopped',
        },
      ],
      file: fileBeside(import.meta.url, '../cli/commands/backup'),
    },
  ],
}
