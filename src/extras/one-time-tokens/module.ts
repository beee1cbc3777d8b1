import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'one-time-tokens',
  tables,
  errors: ['confirmationInvalid'],
  services: () => import('./services.ts'),
  jobs: ({ confirmations }) => [{ name: 'expired confirmations', purge: confirmations.purge }],
}
