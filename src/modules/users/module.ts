import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'users',
  tag: 'Users',
  tables: [
    {
      name: 'users',
      key: ['id'],
      givesIds: true,
      blank: ['import_id'],
      present: async () => (await import('../../core/database/pending-import.ts')).isPresentUser,
    },
    {
      name: 'leaving_users',
      key: [],
      leftOut: 'deleted users are not copied',
      person: {
        column: 'user_id',
        onDelete: 'delete',
        excluded: 'there is none before the deletion',
      },
    },
    {
      name: 'users_search',
      key: [],
      leftOut: 'an index of SQLite, made again by its triggers as the users come in',
    },
  ],
  events: () => import('./events.ts'),
  settings: ['USERS_POLICY'],
  checks: () => import('./checks.ts'),
  commands: [
    {
      rows: [
        { name: 'user add', summary: 'Makes a user, without an account' },
        { name: 'user list', summary: 'Shows all users, in the order of their ids' },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  // Often, because changes that are not counted yet cost time at each page far behind.
  jobs: ({ users }) => [
    { name: 'counts of lists', everyMs: 1000, purge: users.countLists },
    { name: 'removed users', everyMs: 1000, purge: users.purgeRemoved },
  ],
  routes: async () => {
    const { userRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      for (const [prefix, version, idSuffix] of [
        ['', 'v1', ''],
        ['/api/v1', 'v1', 'V1'],
        ['/api/v2', 'v2', 'V2'],
      ] as const) {
        await app.register(userRoutes, { prefix, version, idSuffix, ...needs })
      }
    }
  },
}
