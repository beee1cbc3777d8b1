import type { Module } from '../../core/module/module.ts'
import {
  clientExists,
  clientInFile,
  clientNotFound,
  hasNoSecrets,
  invalidClient,
  noOtherSecret,
} from './problems.ts'
import { tables } from './tables.ts'

const refreshMs = 1000

/**
 * Programs with an id, of CLIENTS_FILE and of the database: they introspect and revoke tokens, read
 * metrics, or sign people in. Routes: /api/admin/clients. docs/adr/0034
 */
export const module: Module = {
  name: 'clients',
  tag: 'Tokens',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [
    ...[invalidClient, clientNotFound, clientExists],
    ...[clientInFile, hasNoSecrets, noOtherSecret],
  ],
  checks: () => import('./checks.ts'),
  commands: [
    {
      rows: [
        {
          name: 'client add',
          operands: ['id'],
          summary:
            'Adds a client and shows its secret once: with --type an application to the database, else a program to the file of clients, which is made where there is none',
        },
        { name: 'client list', summary: 'Lists the clients of the file and of the database' },
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
          summary: 'Removes a client from the file or from the database',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  authenticators: async () => {
    const { clientAuthenticator } = await import('./authenticator.ts')
    return (needs, before) => [...before, clientAuthenticator(needs)]
  },
  routes: () => import('./admin-routes.ts'),
  jobs: ({ clients }) => [
    {
      name: 'clients file',
      everyMs: refreshMs,
      inEachWorker: true,
      readsFiles: true,
      run: () => clients.refresh(),
    },
  ],
}
