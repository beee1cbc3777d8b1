import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'clients',
  tag: 'Tokens',
  events: fileBeside(import.meta.url, './events'),
  errors: ['invalidClient'],
  settings: ['CLIENTS_FILE'],
  commands: [
    {
      rows: [
        {
          name: 'client add',
          operands: ['id'],
          summary:
            'Adds a client to the file of clients, and shows its secret once; makes a file where there is none',
        },
        { name: 'client list', summary: 'Lists the clients of the file of clients' },
        {
          name: 'client secret',
          operands: ['id'],
          summary:
            'Makes a new secret for a client, and shows it once; the one before stays valid until `client retire`',
        },
        {
          name: 'client retire',
          operands: ['id'],
          summary: 'Ends the earlier of the two secrets of a client',
        },
        {
          name: 'client remove',
          operands: ['id'],
          summary: 'Removes a client from the file of clients',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
    },
  ],
  parts: () => import('./parts.ts'),
}
