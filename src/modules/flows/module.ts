import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Flows of pages: what a browser has begun and not finished. A flow is sealed for the browser
 * until its first step, and then a row; a cookie names the flow. `isRedirectOrigin` decides where a
 * sign-in may lead. docs/adr/0077
 */
export const module: Module = {
  name: 'flows',
  tables,
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  /** Of pages and at providers alike: they share the table. */
  jobs: ({ pageFlows }) => [{ name: 'sign-ins under way', purge: pageFlows.purge }],
}
