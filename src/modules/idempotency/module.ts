import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Idempotency-Key of requests that create something: the answer of the first request is given
 * again.
 */
export const module: Module = {
  name: 'idempotency',
  tables,
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  jobs: ({ idempotency }) => [{ name: 'idempotency keys', purge: idempotency.purge }],
}
