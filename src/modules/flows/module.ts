import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'flows',
  tables,
  services: () => import('./services.ts'),
  /** Of pages and at providers alike: they share the table. */
  jobs: ({ pageFlows }) => [{ name: 'sign-ins under way', purge: pageFlows.purge }],
}
