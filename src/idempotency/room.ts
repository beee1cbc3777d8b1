import type { Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'idempotency',
  tables: [{ name: 'idempotency_keys', key: ['id'] }],
  errors: ['idempotencyKeyReused'],
  parts: () => import('./parts.ts'),
}
