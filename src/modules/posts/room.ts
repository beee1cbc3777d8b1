import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'posts',
  tag: 'Posts',
  tables: [
    {
      name: 'posts',
      key: ['id'],
      givesIds: true,
      person: { column: 'author_id', onDelete: 'set-null', inSteps: true },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['postNotFound'],
  settings: ['POSTS_DELETE_POLICY'],
  personalData: async () => (await import('./personal-data.ts')).sections,
  parts: () => import('./parts.ts'),
}
