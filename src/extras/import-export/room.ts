import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

const underWay = 'begun anew where the data goes'

export const room: Room<Needs> = {
  name: 'transfer',
  tag: 'Import and export',
  tables: [
    { name: 'imports', key: [], leftOut: `under way elsewhere: ${underWay}` },
    {
      name: 'import_names',
      key: [],
      leftOut: 'of those imports',
      person: {
        column: 'user_id',
        onDelete: { kept: 'they go with their import, within minutes' },
        excluded: 'a name of an import that is under way, for minutes',
      },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  commands: [
    {
      rows: [
        {
          name: 'account import',
          operands: ['file|-'],
          summary: 'Imports accounts from CSV, JSON Lines or an array of JSON, all of them or none',
        },
        {
          name: 'account export',
          summary:
            'Writes every account as a line of JSON; with its hash where its password shall go along',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
    },
  ],
  parts: () => import('./parts.ts'),
}
