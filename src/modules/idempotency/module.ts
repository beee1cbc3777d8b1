import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'idempotency',
  tables: [{ name: 'idempotency_keys', key: ['id'] }],
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  jobs: ({ idempotency }) => [{ name: 'idempotency keys', purge: idempotency.purge }],
}
