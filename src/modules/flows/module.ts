import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'flows',
  reasons: () => import('./reasons.ts'),
  tables: [
    {
      name: 'flows',
      key: [],
      leftOut: 'sign-ins that are under way for ten minutes, in a browser that waits elsewhere',
      person: {
        column: 'user_id',
        onDelete: 'delete',
        excluded: 'a sign-in under way, for ten minutes',
      },
    },
  ],
  services: () => import('./services.ts'),
  /** Of pages and at providers alike: they share the table. */
  jobs: ({ pageFlows }) => [{ name: 'sign-ins under way', purge: pageFlows.purge }],
}
