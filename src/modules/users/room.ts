import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
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
      person: { column: 'user_id', gone: 'removed', untold: 'there is none before the deletion' },
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
      file: fileBeside(import.meta.url, './commands'),
    },
  ],
  ofPerson: async () => (await import('./of-person.ts')).sections,
  parts: () => import('./parts.ts'),
}
