import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/** docs/adr/0080 */
export const module: Module = {
  name: 'one-time-tokens',
  requires: ['mail'],
  tables,
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  jobs: ({ confirmations }) => [{ name: 'expired confirmations', purge: confirmations.purge }],
}
