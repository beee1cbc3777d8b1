import type { Module } from '../../core/module/module.ts'

/** /api/openapi.json and /api/docs. docs/adr/0039 */
export const module: Module = {
  name: 'api-reference',
  tag: 'Service',
  routes: () => import('./routes.ts'),
}
