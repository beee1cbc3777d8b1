import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'totp',
  tag: 'Second factor',
  tables: [
    {
      name: 'second_factors',
      key: ['user_id'],
      sealed: ['sealed', 'pending'],
      person: { column: 'user_id', onDelete: 'delete' },
    },
    {
      name: 'recovery_codes',
      key: ['user_id', 'code'],
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  errors: ['secondFactorRequired', 'secondFactorNotFound'],
  events: fileBeside(import.meta.url, './events'),
  personalData: async () => (await import('./personal-data.ts')).sections,
  parts: () => import('./parts.ts'),
}
