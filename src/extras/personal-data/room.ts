import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'person',
  tag: 'Own account',
  settings: ['ACCOUNT_DELETION_DAYS'],
  commands: [
    {
      rows: [
        {
          name: 'account data',
          operands: ['[name]'],
          summary: 'Writes everything that the service holds of a person, as JSON',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
    },
    {
      rows: [
        {
          name: 'compact',
          summary: 'Writes the database anew, without what was deleted: see docs/personal-data.md',
        },
      ],
      file: fileBeside(import.meta.url, './compact-command'),
    },
  ],
  parts: () => import('./parts.ts'),
}
