import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'idempotency',
  tables,
  errors: ['idempotencyKeyReused'],
  jobs: ({ idempotency }) => [{ name: 'idempotency keys', purge: idempotency.purge }],
  onErasure: async () => {
    const { idempotencyStore } = await import('./store.ts')
    return (trx, userId) => idempotencyStore(trx).erase(userId)
  },
}
