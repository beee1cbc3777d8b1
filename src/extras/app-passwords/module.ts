import type { Module } from '../../core/module/module.ts'

/** The page /account/app-passwords, with APP_PASSWORDS=on: docs/keys.md. */
export const module: Module = {
  name: 'app-passwords',
  requires: ['own-account'],
  services: () => import('./services.ts'),
  pages: () => import('./pages.ts'),
}
