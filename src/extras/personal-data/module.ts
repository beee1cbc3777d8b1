import type { Module } from '../../core/module/module.ts'

/**
 * What the service stores of a person: the export, and the removal of the own account. Each module
 * declares its sections by `personSections`. Routes: /api/account/export, DELETE /api/account.
 * docs/adr/0066, 0075
 */
export const module: Module = {
  name: 'personal-data',
  requires: ['own-account'],
  tag: 'Own account',
  settings: () => import('./settings.ts'),
  commands: [
    {
      rows: [
        {
          name: 'account data',
          operands: ['[name]'],
          summary: 'Writes everything that the service holds of a person, as JSON',
        },
      ],
      load: () => import('./commands.ts'),
    },
    {
      rows: [
        {
          name: 'compact',
          summary: 'Writes the database anew, without what was deleted: see docs/personal-data.md',
        },
      ],
      load: () => import('./compact-command.ts'),
    },
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./own-routes.ts'), import('./pages.ts')]),
  jobs: ({ accountDeletion }) => [{ name: 'account deletions', purge: accountDeletion.eraseDue }],
}
