import type { Module } from '../../core/module/module.ts'

/** The pages on which a person manages the own account. */
export const module: Module = {
  name: 'own-account',
  services: () => import('./services.ts'),
  pages: () => Promise.all([import('./change-password.ts'), import('./pages/routes.ts')]),
}
