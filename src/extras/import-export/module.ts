import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Accounts as JSON, JSON Lines or CSV, and from the exports of other products (`foreign/`).
 * Routes: /api/admin/import/accounts, /api/admin/export/accounts, /api/admin/imports.
 * docs/adr/0104
 */
export const module: Module = {
  name: 'import-export',
  tables,
  eventCategory: 'transfer',
  tag: 'Import and export',
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  monitoring: () => import('./monitoring.ts'),
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
      load: () => import('./commands.ts'),
    },
    {
      rows: [
        {
          name: 'import',
          operands: ['file'],
          summary: 'Imports the accounts of another product, from its export: docs/import.md',
        },
      ],
      load: () => import('./foreign-command.ts'),
    },
  ],
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
  jobs: ({ imports }) => [{ name: 'dead imports', purge: imports.purge }],
}
