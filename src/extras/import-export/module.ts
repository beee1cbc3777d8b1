import type { Module } from '../../core/module/module.ts'

const underWay = 'begun anew where the data goes'

export const module: Module = {
  name: 'import-export',
  eventCategory: 'transfer',
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
  ],
  services: () => import('./services.ts'),
  routes: async () => {
    const { transferRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(transferRoutes, needs)
    }
  },
  jobs: ({ imports }) => [{ name: 'dead imports', purge: imports.purge }],
}
