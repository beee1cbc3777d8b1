import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'idempotency',
  tables,
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  jobs: ({ idempotency }) => [{ name: 'idempotency keys', purge: idempotency.purge }],
}
