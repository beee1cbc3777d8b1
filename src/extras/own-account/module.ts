import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'own-account',
  services: () => import('./services.ts'),
  pages: () => Promise.all([import('./change-password.ts'), import('./pages/routes.ts')]),
}
