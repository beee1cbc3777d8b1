import type { Module } from '../../core/module/module.ts'

/** docs/adr/0073 */
export const module: Module = {
  name: 'proofs',
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
}
