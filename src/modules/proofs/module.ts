import type { Module } from '../../core/module/module.ts'

/** The proofs of a person for changes of the own account. docs/adr/0073 */
export const module: Module = {
  name: 'proofs',
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
}
