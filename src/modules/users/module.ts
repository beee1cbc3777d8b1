import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/** Spec 2.1, 4.2, 9. Routes: /users, /api/v1/users, /api/v2/users. Calls `onUserRemoved`. */
export const module: Module = {
  name: 'users',
  tag: 'Users',
  scopes: ['users:read', 'users:write'],
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  commands: [
    {
      rows: [
        { name: 'user add', summary: 'Makes a user, without an account' },
        { name: 'user list', summary: 'Shows all users, in the order of their ids' },
        {
          name: 'user delete',
          operands: ['id'],
          summary: 'Deletes a user with its account, and ends its logins; its posts stay',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  jobs: ({ users }) => [{ name: 'removed users', everyMs: 1000, purge: users.purgeRemoved }],
  routes: () => import('./routes.ts'),
}
