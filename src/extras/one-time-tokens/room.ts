import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'confirmations',
  tables: [
    {
      name: 'confirmations',
      key: ['id'],
      sealed: ['sealed'],
      needsKeys: true,
      isLogin: true, // its link sets a password, or signs in
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  errors: ['confirmationInvalid'],
  personalData: async () => (await import('./personal-data.ts')).sections,
  parts: () => import('./parts.ts'),
}
