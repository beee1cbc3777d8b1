import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'one-time-tokens',
  tables,
  errors: ['confirmationInvalid'],
  jobs: ({ confirmations }) => [{ name: 'expired confirmations', purge: confirmations.purge }],
  personalData: async () => (await import('./personal-data.ts')).sections,
}
