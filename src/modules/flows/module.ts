import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Page flows: a sealed flow until its first step, then a row; a cookie binds the flow.
 * `isRedirectOrigin` decides the allowed targets of a sign-in. docs/adr/0077
 */
export const module: Module = {
  name: 'flows',
  tables,
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  /** Also purges flows at providers: same table. */
  jobs: ({ pageFlows }) => [{ name: 'sign-ins under way', purge: pageFlows.purge }],
}
