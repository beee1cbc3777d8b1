import type { Module } from '../../core/module/module.ts'

/** The page /account/app-passwords, with APP_PASSWORDS=on: docs/keys.md. */
export const module: Module = {
  name: 'app-passwords',
  requires: ['own-account'],
  pages: () => import('./pages.ts'),
}
