import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'flows',
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
  parts: () => import('./parts.ts'),
}
