import type { Module } from '../../core/module/module.ts'

/** The OpenAPI document and the page that shows it: /api/openapi.json, /api/docs. docs/adr/0039 */
export const module: Module = {
  name: 'api-reference',
  tag: 'Service',
  routes: () => import('./routes.ts'),
}
