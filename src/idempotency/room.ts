import type { Room } from '../room/room.ts'
import type { Idempotency } from './idempotency.ts'

export const room: Room<{ readonly idempotency: Idempotency }> = {
  name: 'idempotency',
  tables: [{ name: 'idempotency_keys', key: ['id'] }],
  errors: ['idempotencyKeyReused'],

  jobs: async ({ idempotency }) => [{ name: 'idempotency keys', purge: idempotency.purge }],
}
