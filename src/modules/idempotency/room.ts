import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'idempotency',
  tables: [{ name: 'idempotency_keys', key: ['id'] }],
  errors: ['idempotencyKeyReused'],
  onErasure: async () => {
    const { idempotencyStore } = await import('./store.ts')
    return (trx, userId) => idempotencyStore(trx).erase(userId)
  },
  parts: () => import('./parts.ts'),
}
