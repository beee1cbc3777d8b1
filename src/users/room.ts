import { fileBeside, type Room } from '../room/room.ts'
import type { UserRoutesOptions } from './routes.ts'

export const room: Room<Omit<UserRoutesOptions, 'version'>> = {
  name: 'users',
  tag: 'Users',
  tables: [
    {
      name: 'users',
      key: ['id'],
      givesIds: true,
      blank: ['import_id'],
      present: async () => (await import('../database/staged.ts')).isPresentUser,
    },
    {
      name: 'users_search',
      key: [],
      leftOut: 'an index of SQLite, made again by its triggers as the users come in',
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['nameAndEmailRequired', 'userNotFound'],
  settings: ['USERS_POLICY'],
  commands: [
    {
      rows: [
        { name: 'user add', summary: 'Makes a user, without an account' },
        { name: 'user list', summary: 'Shows all users, in the order of their ids' },
      ],
      file: fileBeside(import.meta.url, '../cli/commands/users'),
    },
  ],

  async routes(app, needs) {
    const { userRoutes } = await import('./routes.ts')
    for (const [prefix, version] of [
      ['', 'v1'],
      ['/api/v1', 'v1'],
      ['/api/v2', 'v2'],
    ] as const) {
      await app.register(userRoutes, { prefix, version, ...needs })
    }
  },
}
